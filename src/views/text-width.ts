const ASCII = /^[ -~]*$/;
const ZERO_WIDTH = /[\p{Mn}\p{Me}]|\u200c|\u200d/u;
const EMOJI = /\p{Emoji_Presentation}/u;
/** Made when it is first needed, because that takes as long as loading all other views. */
let graphemes: Intl.Segmenter | undefined;

/** East Asian wide and full-width blocks. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1b000, 0x1b2ff],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1faff],
  [0x20000, 0x3fffd],
];

function symbolWidth(symbol: string): number {
  // Asks for the picture instead of the sign before it, which is one column wider.
  if (symbol === "\ufe0f") return 1;
  if (ZERO_WIDTH.test(symbol)) return 0;
  const code = symbol.codePointAt(0) ?? 0;
  return EMOJI.test(symbol) || WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

/**
 * The width of a text in columns. Terminals disagree about joined symbols, so each part is counted: a width that is too large
 * only cuts a line early, while one that is too small makes it wrap and breaks the redrawing.
 */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const symbol of text) width += symbolWidth(symbol);
  return width;
}

/** Cuts a text to `columns`; a cut text ends in "…". */
export function cutText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  return columns <= 0 ? "" : `${startOf(text, columns - 1)}…`;
}

/** The beginning of a text that fits into `columns`. */
export function startOf(text: string, columns: number): string {
  if (ASCII.test(text)) return text.slice(0, Math.max(0, columns));
  let kept = "";
  let width = 0;
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  for (const { segment } of graphemes.segment(text)) {
    width += textWidth(segment);
    if (width > columns) break;
    kept += segment;
  }
  return kept;
}

/** Breaks a text between words; a longer word stays whole, and further lines are indented as the first. */
export function wrapText(text: string, columns: number): string[] {
  if (textWidth(text) <= columns) return [text];
  const [, indent = "", rest = ""] = /^(\s*)(.*)$/s.exec(text) ?? [];
  const lines: string[] = [];
  let current = "";
  for (const word of rest.split(" ")) {
    const longer = current === "" ? `${indent}${word}` : `${current} ${word}`;
    if (current === "" || textWidth(longer) <= columns) current = longer;
    else {
      lines.push(current);
      current = `${indent}${word}`;
    }
  }
  return [...lines, current];
}

export function padEnd(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - textWidth(text)));
}

export function padStart(text: string, columns: number): string {
  return " ".repeat(Math.max(0, columns - textWidth(text))) + text;
}

const ESC = String.fromCharCode(27);
const BEL = String.fromCharCode(7);

/** The meaning of a piece of text. Colour may stress it, but never carries it alone. */
export type Tone = "good" | "bad" | "warn" | "faint" | "strong" | "accent";

const CODES: Record<Tone, string> = { good: "32", bad: "31", warn: "33", faint: "2", strong: "1", accent: "36" };

export function paint(text: string, tone: Tone): string {
  return text === "" ? "" : `${ESC}[${CODES[tone]}m${text}${ESC}[0m`;
}

export function cursorUp(lines: number): string {
  return lines > 0 ? `${ESC}[${lines}A` : "";
}

export const ERASE_TO_LINE_END = `${ESC}[K`;
export const ERASE_BELOW = `${ESC}[J`;
export const HIDE_CURSOR = `${ESC}[?25l`;
export const SHOW_CURSOR = `${ESC}[?25h`;

const SEQUENCES = new RegExp(`${ESC}\\[[0-?]*[ -/]*[@-~]|${ESC}\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)?|${ESC}[@-_]`, "g");

/** Removes whole escape sequences, so that no "[31m" stays behind. */
export function withoutSequences(text: string): string {
  return text.includes(ESC) ? text.replace(SEQUENCES, "") : text;
}

const CONTEXT = 3;

interface Line {
  sign: " " | "-" | "+";
  text: string;
}

/** The difference of two texts in the format of `diff -u`, under the names a and b; empty when they are equal. */
export function unifiedDiff(before: string, after: string): string {
  if (before === after) return "";
  const lines = compared(linesOf(before), linesOf(after));
  const changed = lines.flatMap(({ sign }, index) => (sign === " " ? [] : [index]));
  const hunks: [from: number, to: number][] = [];
  for (const index of changed) {
    const last = hunks.at(-1);
    if (last && index - CONTEXT <= last[1] + 1) last[1] = Math.min(lines.length - 1, index + CONTEXT);
    else hunks.push([Math.max(0, index - CONTEXT), Math.min(lines.length - 1, index + CONTEXT)]);
  }
  return ["--- a", "+++ b", ...hunks.flatMap(([from, to]) => hunk(lines, from, to)), ""].join("\n");
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function hunk(lines: readonly Line[], from: number, to: number): string[] {
  const count = (part: readonly Line[], without: "-" | "+") => part.filter(({ sign }) => sign !== without).length;
  const shown = lines.slice(from, to + 1);
  const [old, fresh] = [count(lines.slice(0, from), "+"), count(lines.slice(0, from), "-")];
  const header = `@@ -${old + 1},${count(shown, "+")} +${fresh + 1},${count(shown, "-")} @@`;
  return [header, ...shown.map(({ sign, text }) => `${sign}${text}`)];
}

/** Skips the common beginning and end; in between, keeps the longest common subsequence of lines. */
function compared(a: readonly string[], b: readonly string[]): Line[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const same = (text: string): Line => ({ sign: " ", text });
  return [
    ...a.slice(0, start).map(same),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

/** Above this number of line pairs, everything in between counts as changed. */
const MOST_PAIRS = 4_000_000;

function middle(a: readonly string[], b: readonly string[]): Line[] {
  const gone = (text: string): Line => ({ sign: "-", text });
  const come = (text: string): Line => ({ sign: "+", text });
  if (a.length * b.length > MOST_PAIRS) return [...a.map(gone), ...b.map(come)];
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ sign: " ", text: a[i++] as string });
      j++;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) lines.push(gone(a[i++] as string));
    else lines.push(come(b[j++] as string));
  }
  return lines;
}

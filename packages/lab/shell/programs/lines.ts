/** How many lines end in these bytes. */
export function lineEnds(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte === 10) count++;
  return count;
}

export function linesOf(content: Buffer): string[] {
  const text = content.toString("utf8");
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** Compares chart versions: "1.17.3" is before "1.18.0". Parts that are not numbers count as 0, and a pre-release as its release. */
export function isBefore(version: string, other: string): boolean {
  const [mine, theirs] = [version, other].map(numbersOf);
  const at = (mine ?? []).findIndex((number, index) => number !== theirs?.[index]);
  return at >= 0 && (mine?.[at] ?? 0) < (theirs?.[at] ?? 0);
}

function numbersOf(version: string): readonly number[] {
  const [, ...numbers] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  return numbers.map(Number);
}

/** Talos's units of size, larger ones first. */
const UNITS = [
  ["TiB", 2 ** 40],
  ["TB", 10 ** 12],
  ["GiB", 2 ** 30],
  ["GB", 10 ** 9],
  ["MiB", 2 ** 20],
  ["MB", 10 ** 6],
] as const;

/** "50GiB", in the largest unit that loses nothing. */
export function sizeText(bytes: number): string {
  const unit = UNITS.find(([, size]) => bytes > 0 && bytes % size === 0);
  return unit === undefined ? String(bytes) : `${bytes / unit[1]}${unit[0]}`;
}

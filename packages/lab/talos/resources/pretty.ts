/** Prints "43 GB" as Go's humanize does. */
export function pretty(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  if (bytes < 10) return `${bytes} B`;
  const place = Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = Math.floor((bytes / 1000 ** place) * 10 + 0.5) / 10;
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ${units[place]}`;
}

const UNITS: Record<string, number> = { K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 };

/** Parses "20G" to bytes; undefined when it is not a size. */
export function parseSize(text: string): number | undefined {
  const parts = /^(\d+(?:\.\d+)?)([KMGT])?$/.exec(text);
  return parts ? Math.trunc(Number(parts[1]) * (UNITS[parts[2] ?? ""] ?? 1)) : undefined;
}

/** Prints a size in the largest exact unit: 1024G is 1T, 1287651328 is 1228M (docs/facts/proxmox.md#volume-sizes). */
export function printSize(bytes: number): string {
  for (const unit of ["T", "G", "M", "K"]) {
    const size = UNITS[unit] as number;
    if (bytes > 0 && bytes % size === 0) return `${bytes / size}${unit}`;
  }
  return String(bytes);
}

const UNITS: Record<string, number> = { K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 };

/** "20G" in bytes; undefined when it is no size. */
export function parseSize(text: string): number | undefined {
  const parts = /^(\d+(?:\.\d+)?)([KMGT])?$/.exec(text);
  return parts ? Math.trunc(Number(parts[1]) * (UNITS[parts[2] ?? ""] ?? 1)) : undefined;
}

/** The largest unit that tells the size exactly: 1024G reads 1T, 1287651328 reads 1228M (docs/facts/proxmox.md#volume-sizes). */
export function printSize(bytes: number): string {
  for (const unit of ["T", "G", "M", "K"]) {
    const size = UNITS[unit] as number;
    if (bytes > 0 && bytes % size === 0) return `${bytes / size}${unit}`;
  }
  return String(bytes);
}

const SECOND = 1000;

/** "0.4 s", "9.4 s", "2 min 10 s", "1 h 3 min". */
export function duration(ms: number): string {
  const tenths = Number.isFinite(ms) ? Math.max(0, Math.round(ms / 100)) : 0;
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.floor(tenths / 10);
  if (seconds < 3600) return two(Math.floor(seconds / 60), "min", seconds % 60, "s");
  const minutes = Math.floor(seconds / 60);
  return two(Math.floor(minutes / 60), "h", minutes % 60, "min");
}

/** Prints a time limit as it was set: "30 s", not "30.0 s". */
export function limit(ms: number): string {
  return ms < 60 * SECOND && ms % SECOND === 0 ? `${ms / SECOND} s` : duration(ms);
}

function two(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

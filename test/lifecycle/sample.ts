/** With FULL=1 everything is tried; else every fourth thing or fewer, always the same ones: the suite must end while somebody waits for it. */
export const FULL = process.env.FULL !== undefined;

/** Whoever stops at the first thing found (a planted bug) looks everywhere for it. */
export function sampled<T>(all: readonly T[], every = 4): readonly T[] {
  return FULL || process.env.BAIL !== undefined ? all : all.filter((_, at) => at % every === 0);
}

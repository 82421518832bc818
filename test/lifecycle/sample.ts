/** With FULL=1 everything is tried, otherwise a sample that depends only on the commit. */
export const FULL = process.env.FULL !== undefined;

/** A run that stops at the first violation (for a planted bug) must try everything. */
export const EVERYTHING = FULL || process.env.BAIL !== undefined;

/** One of `of` parts of a list, another one for another commit: PROPERTY_SEED depends on it (test/runner/seed.js). Never empty. */
export function inTurn<T>(all: readonly T[], of: number): readonly T[] {
  const parts = Math.min(of, all.length);
  return EVERYTHING ? all : all.filter((_, at) => (at + Number(process.env.PROPERTY_SEED ?? 0)) % parts === 0);
}

/** "2/8": the second eighth of everything, to share the work between machines. */
const PART = partOf(process.env.LIFECYCLE_PART);

function partOf(text: string | undefined): { nth: number; of: number } | undefined {
  const [, nth, of] = /^(\d+)\/(\d+)$/.exec(text ?? "") ?? [];
  return nth === undefined || of === undefined ? undefined : { nth: Number(nth), of: Number(of) };
}

/**
 * A fair sample: first items with a tag that has not occurred yet, so that each tag occurs, then others at even distances. More than `count` items
 * when the tags require it.
 */
export function fairly<T>(
  all: readonly T[],
  tagsOf: (one: T) => readonly string[],
  count: number,
  seen = new Set<string>(),
): readonly T[] {
  if (PART) return all.filter((_, at) => at % PART.of === PART.nth - 1);
  if (EVERYTHING || all.length <= count) return all;
  const chosen = new Set<T>();
  for (const one of all) {
    const tags = tagsOf(one);
    if (tags.every((tag) => seen.has(tag))) continue;
    chosen.add(one);
    for (const tag of tags) seen.add(tag);
  }
  const others = all.filter((one) => !chosen.has(one));
  const more = Math.max(0, count - chosen.size);
  for (let n = 0; n < more; n++) chosen.add(others[Math.floor((n * others.length) / more)] as T);
  return all.filter((one) => chosen.has(one));
}

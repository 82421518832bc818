import { posix } from "node:path";

/** A mutant that this much testing does not notice counts as survived: the core is reached by hundreds of tests, and most say nothing about it. */
const AT_MOST_MS = 20_000;

/** 0: the test of this file; 1: a test in its folder; 2: in the folder above; 3: anywhere else. */
export function distance(test, source) {
  const [at, folder] = [posix.dirname(test), posix.dirname(source)];
  if (at === folder) return posix.basename(test).startsWith(posix.basename(source, "ts")) ? 0 : 1;
  return at === posix.dirname(folder) ? 2 : 3;
}

/** A quick test that can be expected to notice a mutant of this source. */
export const isNear = (test, source) => distance(test, source) < 3 && !test.endsWith(".integration.test.ts");

/** The tests that come across a mutant, nearest first, then quickest first. `tests`: `{ file, ms, reached }`. */
export function testsFor({ id, file }, tests) {
  const found = tests
    .filter(({ reached }) => reached.has(id))
    .sort((a, b) => distance(a.file, file) - distance(b.file, file) || a.ms - b.ms || (a.file < b.file ? -1 : 1));
  let total = 0;
  return found.filter(({ ms }, index) => {
    const fits = index === 0 || total + ms <= AT_MOST_MS;
    if (fits) total += ms;
    return fits;
  });
}

import { expect, test } from "vitest";
import { changed, failure, GOOD, type Trial } from "./config-in-memory.ts";

/** One mistake in the good config: where, what, and what to do. */
export type Case = [name: string, changes: Record<string, string>, at: string, message: string, hint: string];

/** Each mistake is told, exactly so, and nothing else is. */
export function toldAlone(cases: readonly Case[], base = GOOD, trial: Trial = {}): void {
  test.each(cases)("%s is told, with its place and what to do, and nothing else", (_, changes, at, message, hint) => {
    const found = failure(changed(changes, base), trial).problems.map((problem) => ({
      at: `${problem.where?.line}:${problem.where?.column}`,
      message: problem.message,
      hint: problem.hint,
    }));
    expect(found).toEqual([{ at, message, hint }]);
  });
}

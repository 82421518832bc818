import fc from "fast-check";

/** Values that no client expects. */
export const ODD: readonly unknown[] = [
  ...[null, true, -1, 1.5, Number.POSITIVE_INFINITY, "", "x", "../../x", "100", "1e999", "a\u0000b", "\u001b[2J"],
];

/** Any JSON value that a wrong server could send: odd values, and lists and objects of them, under names that clients read. */
export function anyAnswer(names: readonly string[], odd = ODD): fc.Arbitrary<unknown> {
  const keys = fc.constantFrom(...names, "__proto__", "constructor");
  return fc.letrec<{ answer: unknown }>((tie) => ({
    answer: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom(...odd),
      fc.array(tie("answer"), { maxLength: 3 }),
      fc.dictionary(keys, tie("answer"), { maxKeys: 6 }),
    ),
  })).answer;
}

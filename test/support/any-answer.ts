import fc from "fast-check";

/** No client expects these. */
export const ODD: readonly unknown[] = [
  ...[null, true, -1, 1.5, Number.POSITIVE_INFINITY, "", "x", "../../x", "100", "1e999", "a\u0000b", "\u001b[2J"],
];

/** What a server may answer that is not what it seems to be: odd values, lists and objects of them, under names that somebody looks for. */
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

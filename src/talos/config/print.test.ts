import type { Json } from "@talosmith/lib/json.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { runs } from "../../../test/support/runs.ts";
import { parseConfig } from "./parse.ts";
import { printConfig } from "./print.ts";

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "off",
    "Yes",
    "NO",
    "~",
    "null",
    "0x1",
    "0o7",
    "0755",
    "1e3",
    "12:30:45",
    "2026-01-01",
    "1_000",
    ".inf",
    "-",
    "- a",
    "a: b",
    "a #b",
  ),
  fc.constantFrom(
    "<<",
    "=",
    "!",
    "&a",
    "*a",
    "%a",
    "@a",
    "`a",
    "a\nb",
    "a\nb\n",
    "\na",
    " a\nb",
    "a\n\n",
    "a \n",
    "a\r\nb",
    "a\n b\n",
    "---",
    "...",
    "a\t",
  ),
);
const value: fc.Memo<Json> = fc.memo((depth) =>
  fc.oneof(
    text,
    fc.boolean(),
    fc.integer(),
    fc.constant(null),
    ...(depth > 1 ? [fc.array(value(depth - 1), { maxLength: 3 }), object(depth - 1)] : []),
  ),
);
const key = fc
  .oneof(fc.stringMatching(/^[a-z$.]{1,6}$/), text)
  .filter((name) => !["__proto__", "<<", "kind", "apiVersion"].includes(name));
const object = (depth: number): fc.Arbitrary<{ [key: string]: Json }> => fc.dictionary(key, value(depth), { maxKeys: 4 });

describe("what is printed", () => {
  test("reads as it was, whatever is in it", () => {
    fc.assert(
      fc.property(
        fc.array(
          object(4).filter((one) => Object.keys(one).length > 0),
          { minLength: 1, maxLength: 3 },
        ),
        (documents) => {
          expect(parseConfig(printConfig(documents))).toEqual(documents);
        },
      ),
      { numRuns: runs(150) },
    );
  });

  test("is text to readers of YAML 1.1 and of YAML 1.2 where it was text", () => {
    fc.assert(
      fc.property(text, (one) => {
        const printed = printConfig([{ a: one }]);
        for (const version of ["1.1", "1.2"] as const)
          expect(parseAllDocuments(printed, { version }).map((document) => (document as { toJS(): unknown }).toJS())).toEqual([
            { a: one },
          ]);
      }),
      { numRuns: runs(150) },
    );
  });

  // As go-yaml, and so talosctl, lays it out.
  test("is indented by four, a list below its key, the content of an element at the next stop", () => {
    expect(printConfig([{ a: { b: [{ c: 1, d: { e: "off" } }, "x"], f: [], g: {} } }])).toBe(`a:
    b:
        - c: 1
          d:
            e: "off"
        - x
    f: []
    g: {}
`);
  });

  test("keeps the lines of a text", () => {
    expect(printConfig([{ a: "one\n\ntwo\n" }])).toBe("a: |\n    one\n\n    two\n");
  });

  // As talosctl prints a worker's acceptedCAs.
  test("keeps the lines of a text in a list, below its first letter", () => {
    expect(printConfig([{ a: ["one\ntwo\n", "x"] }])).toBe("a:\n    - |\n      one\n      two\n    - x\n");
  });
});

describe("what is read", () => {
  test("has numbers as Talos' reader sees them: old octal, binary, with underscores", () => {
    expect(parseConfig("a: [0755, 0o17, 0b11, 1_000, 0x1f, 08]")).toEqual([{ a: [493, 15, 3, 1000, 31, 8] }]);
  });

  test("has labels and sysctls as they were written, since they are texts to Talos", () => {
    expect(parseConfig("machine: { nodeLabels: { v: 1.10 }, sysctls: { a: 0 }, install: { wipe: true } }")).toEqual([
      { machine: { nodeLabels: { v: "1.10" }, sysctls: { a: "0" }, install: { wipe: true } } },
    ]);
  });

  test("has the labels and variables of documents as they were written, too", () => {
    expect(parseConfig("apiVersion: v1alpha1\nkind: KubeNodeConfig\nlabels: { v: 1.10 }\nskipNodeRegistration: true")).toEqual([
      { apiVersion: "v1alpha1", kind: "KubeNodeConfig", labels: { v: "1.10" }, skipNodeRegistration: true },
    ]);
  });

  test("has no empty documents", () => {
    expect(parseConfig("---\n---\na: 1\n---\n# nothing\n")).toEqual([{ a: 1 }]);
  });

  test.each(["a: [", "- a", "kind: LinkConfig"])("%s is refused, and not quoted", (broken) => {
    expect(() => parseConfig(`machine: { token: verysecret }\n---\n${broken}`)).toThrow(
      expect.objectContaining({
        kind: "user",
        message: "Unable to read the machine config",
        detail: expect.not.stringContaining("verysecret"),
      }),
    );
  });
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { parseYaml } from "./parse.ts";
import { makeSource, position } from "./source.ts";
import { DEEPEST } from "./tokens.ts";
import { find, locate, mergeTrees, type Path, pathName, plain, type Tree } from "./tree.ts";

const read = (text: string) => parseYaml(makeSource("x.yaml", text));

function treeOf(text: string): Tree {
  const { tree, problems } = read(text);
  if (tree === undefined || problems.length > 0) throw new Error(JSON.stringify(problems.map(({ message }) => message)));
  return tree;
}

function problem(text: string): string {
  return read(text)
    .problems.map(({ at, message }) => {
      const { line, column } = position(at.source, at.start);
      return `${line}:${column} ${message}`;
    })
    .join("; ");
}

/** The text at a path, and its position. */
function at(text: string, path: Path, on: "key" | "value"): string {
  const place = locate(treeOf(text), path, on);
  const { line, column } = position(place.source, place.start);
  return `${line}:${column} ${text.slice(place.start, place.end)}`;
}

test("any JSON document is read as the YAML library reads it", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue({ maxDepth: 4 }), { minKeys: 1 }), (value) => {
      const text = JSON.stringify(value);
      expect(plain(treeOf(text))).toEqual(parse(text));
    }),
  );
});

test("a value is located where it is written, in flow style too", () => {
  const text = "a:\n  - { b: 1, c: [x, yy] }\n";
  expect(at(text, ["a", 0, "c", 1], "value")).toBe("2:20 yy");
  expect(at(text, ["a", 0, "b"], "key")).toBe("2:7 b");
});

test("a missing value is located at the key of its section", () => {
  expect(at("a:\n  b: 1\n", ["a", "nope"], "key")).toBe("1:1 a");
  expect(at("a:\n  - b: 1\n", ["a", 0, "nope"], "value")).toBe("2:5 b: 1\n");
});

test("an empty value is located at its key", () => {
  expect(at("a:\n  b:\n", ["a", "b"], "value")).toBe("2:3 b");
});

test("Windows line ends do not change positions", () => {
  expect(at("a: 1\r\nb: 2\r\n", ["b"], "value")).toBe("2:4 2");
});

test("an alias has the value of its anchor and its own position", () => {
  const text = "a: &x { b: 1 }\nc: *x\n";
  expect(plain(treeOf(text))).toEqual({ a: { b: 1 }, c: { b: 1 } });
  expect(at(text, ["c"], "value")).toBe("2:4 *x");
  expect(at(text, ["c", "b"], "value")).toBe("1:12 1");
});

test("a merge key takes over keys, and explicit keys win", () => {
  expect(plain(treeOf("a: &x { b: 1, c: 2 }\nd: { <<: *x, c: 3 }\n"))).toEqual({ a: { b: 1, c: 2 }, d: { c: 3, b: 1 } });
  expect(plain(treeOf('a: &x { b: 1 }\nd: { "<<": *x }\n'))).toEqual({ a: { b: 1 }, d: { "<<": { b: 1 } } });
});

test("a key named __proto__ is an ordinary key", () => {
  expect(Object.keys(plain(treeOf("__proto__: 1\n")) as object)).toEqual(["__proto__"]);
});

test.each([
  ["a: 1\na: 2\n", "2:1 a is written twice"],
  ["a: { b: 1, b: 2 }\n", "1:12 b is written twice"],
  ["a:\n\tb: 1\n", "2:1 a tab is used for indentation"],
  ["a: b: c\n", "1:4 a second key begins on the same line"],
  ["a: @x\n", "1:4 a value cannot begin with this character"],
  ['a: "x\nb: 2\nc: 3\n', "1:4 this quote is not closed"],
  ["a: 'x\nb: 2\n", "1:4 this quote is not closed"],
  ["a: 1\nb: { c: 1\nd: 2\n", "2:4 this bracket is not closed"],
  ["a: [1, 2\nb: 3\n", "1:4 this bracket is not closed"],
  ["a:1\nb: 2\n", "1:1 a key spans more than one line"],
  ["a: *x\n", "1:4 *x refers to no anchor"],
  ["a: &x [*x]\n", "1:8 *x contains itself"],
  ["a: !tag 1\n", "1:4 tags such as !this are not used in this file"],
  ["? [a]\n: 1\n", "1:3 a key must be a plain word"],
  ["a: 1\n---\nb: 2\n", "3:1 a second YAML document begins here"],
  ["<<: 1\n", "1:5 << takes only maps"],
])("%j: %s", (text, expected) => {
  expect(problem(text)).toBe(expected);
});

test("a syntax problem never quotes the file", () => {
  expect(
    JSON.stringify(read("a: 'hunter2' hunter2\nb: %hunter2").problems.map(({ message, hint }) => message + hint)),
  ).not.toContain("hunter2");
});

test("aliases of aliases that expand to too many values are refused at once", () => {
  const rows = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"];
  for (let n = 1; n < 12; n += 1)
    rows.push(
      `a${n}: &a${n} [${Array(10)
        .fill(`*a${n - 1}`)
        .join(",")}]`,
    );
  const { tree, problems } = read(rows.join("\n"));
  expect(tree).toBeUndefined();
  expect(problems.map(({ message }) => message)).toEqual(["this expands to too many values"]);
});

test.each([
  ["[", "brackets"],
  ["- ", "dashes"],
  ["{a: ", "braces"],
])("deep nesting by %j is refused", (piece) => {
  const { problems } = read(piece.repeat(20_000));
  expect(problems[0]?.message).toBe(`values are nested more than ${DEEPEST} levels deep`);
});

test("any text gives a tree or problems, never an exception", () => {
  const bits = fc.constantFrom(
    "a",
    ": ",
    "\n",
    "  ",
    "- ",
    "[",
    "]",
    "{",
    "}",
    "&x ",
    "*x",
    '"',
    "'",
    "|",
    ">",
    "#",
    "\t",
    "!t ",
    "<<",
    "? ",
    "%",
    "---\n",
    "😀",
    "\r\n",
    ",",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(bits).map((list) => list.join("")),
        fc.string({ unit: "binary" }),
      ),
      (text) => {
        const { problems } = read(text);
        for (const { at, hint } of problems) {
          expect(at.start).toBeLessThanOrEqual(text.length + 1);
          expect(hint).not.toBe("");
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("merging combines maps key by key and replaces other values", () => {
  const merged = mergeTrees(treeOf("a: { b: 1, c: 2 }\nl: [1, 2]\n"), treeOf("a: { c: 3 }\nl: [4]\nn: 5\n"));
  expect(plain(merged)).toEqual({ a: { b: 1, c: 3 }, l: [4], n: 5 });
});

test("paths are printed as people write them", () => {
  expect(pathName(["nodes", 1, "ip"])).toBe("nodes[1].ip");
});

test("a path into a scalar finds nothing", () => {
  expect(find(treeOf("a: 1\n"), ["a", "b"])).toBeUndefined();
});

import { describe, expect, test } from "vitest";
import { Names } from "./names.ts";

type Kind = "file" | "folder";
const names = (...written: [string, Kind][]) => {
  const all = new Names(1000);
  return written.map(([name, kind]) => all.take(name, kind));
};

test.each([
  ["a", "a"],
  ["./a", "a"],
  ["a/./b//c", "a/b/c"],
  [".", ""],
  ["./", ""],
  [".../..a/a..", ".../..a/a.."],
])("%j is the folder %j", (written, name) => {
  expect(names([written, "folder"])).toEqual([name]);
});

test.each(["/a", "..", "../a", "a/..", "a/../b"])("%j points outside the archive", (written) => {
  expect(() => names([written, "file"])).toThrow("points outside the archive");
});

test.each(["a\0b", "a\uFFFD"])("%j is no name of a file", (written) => {
  expect(() => names([written, "file"])).toThrow("is not valid UTF-8");
});

describe("the longest names", () => {
  test.each([
    ["4096 characters", `a${"/".repeat(4095)}`],
    ["32 folders", `${"a/".repeat(31)}a`],
    ["a part of 255 bytes", `x/${"b".repeat(255)}`],
    ["a part of 255 bytes in fewer characters", `${"ä".repeat(127)}b`],
  ])("%s are taken", (_, written) => {
    expect(names([written, "folder"])).toHaveLength(1);
  });

  test.each([
    ["4097 characters", `a${"/".repeat(4096)}`],
    ["33 folders", `${"a/".repeat(32)}a`],
    ["a part of 256 bytes", `x/${"b".repeat(256)}`],
    ["a part of 256 bytes in fewer characters", "ä".repeat(128)],
  ])("%s are refused", (_, written) => {
    expect(() => names([written, "folder"])).toThrow("is too long");
  });
});

describe("a name is both a file and a folder when", () => {
  test.each<[string, [string, Kind][]]>([
    [
      "a file is also the folder of a file",
      [
        ["a", "file"],
        ["a/b", "file"],
      ],
    ],
    [
      "a file is also the folder of a folder further down",
      [
        ["a/b", "file"],
        ["a/b/c/d", "folder"],
      ],
    ],
    [
      "the folder of a file is also a file",
      [
        ["a/b", "file"],
        ["a", "file"],
      ],
    ],
    [
      "a folder further up is also a file",
      [
        ["a/b/c", "file"],
        ["a/b", "file"],
      ],
    ],
    ["it is the top folder", [["./", "file"]]],
  ])("%s", (_, written) => {
    expect(() => names(...written)).toThrow("both a file and a folder");
  });
});

test.each<[Kind, Kind]>([
  ["file", "file"],
  ["file", "folder"],
  ["folder", "file"],
  ["folder", "folder"],
])("a %s that is also a %s is in the archive twice", (first, second) => {
  expect(() => names(["x/a", first], ["x/a", second])).toThrow("in the archive twice");
});

test("a folder may come after its content or before it", () => {
  expect(names(["a/b/c", "file"], ["a/b", "folder"], ["a", "folder"], ["a/d", "file"], [".", "folder"])).toEqual([
    "a/b/c",
    "a/b",
    "a",
    "a/d",
    "",
  ]);
});

test("the top folder and folders without an entry of their own count as entries, each once", () => {
  const three = () => {
    const all = new Names(4);
    all.take("a/b", "file");
    all.take("a", "folder");
    all.take("a/c", "file");
    return all;
  };
  expect(three().take(".", "folder")).toBe("");
  expect(() => three().take("a/d", "file")).toThrow("it is too large");
});

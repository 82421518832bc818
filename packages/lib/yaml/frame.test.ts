import { expect, test } from "vitest";
import { drawFrame } from "./frame.ts";
import { makeSource } from "./source.ts";

const open = (_: unknown, __: number, line: string) => line;

function frame(text: string, marked: string, remark?: string, mask = open): string[] {
  const source = makeSource("config.yaml", text);
  const start = text.indexOf(marked);
  return drawFrame({ source, start, end: start + marked.length }, remark, mask).split("\n");
}

test("a frame shows the line before, the line, and a marker of the marked length", () => {
  const text = `${"\n".repeat(12)}  - name: worker\n    ip: 10.11.0.21\n`;
  expect(frame(text, "10.11.0.21", "not in 10.10.0.0/24")).toEqual([
    " 13 │   - name: worker",
    " 14 │     ip: 10.11.0.21",
    "    │         ^^^^^^^^^^ not in 10.10.0.0/24",
  ]);
});

test("a frame of the first line has no line before it", () => {
  expect(frame("a: 1\n", "a")).toEqual([" 1 │ a: 1", "   │ ^"]);
});

test("line numbers are aligned when they get longer", () => {
  expect(frame(`${"\n".repeat(8)}x\ny: 1\n`, "y")).toEqual(["  9 │ x", " 10 │ y: 1", "    │ ^"]);
});

test("a range of several lines is marked to the end of its first line", () => {
  expect(frame("a: |\n  one\n  two\n", "|\n  one\n  two")).toEqual([" 1 │ a: |", "   │    ^"]);
});

test("Windows line ends leave no trace", () => {
  expect(frame("a: 1\r\nb: 22\r\n", "22")).toEqual([" 1 │ a: 1", " 2 │ b: 22", "   │    ^^"]);
});

test("the marker stands below wide and combining characters", () => {
  expect(frame('a: "日本", b: e\u0301x, c: 1', "1")).toEqual([
    ' 1 │ a: "日本", b: e\u0301x, c: 1',
    "   │                      ^",
  ]);
});

test("tabs are shown, and control characters are replaced", () => {
  expect(frame("\ta: \u001b[31m1\u202e\n", "a")).toEqual([" 1 │ →a: ·[31m1·", "   │  ^"]);
});

test("a very long line is cut around the marked range", () => {
  const [row, marker] = frame(`x: [${"abc, ".repeat(100)}HERE, ${"abc, ".repeat(100)}]`, "HERE");
  expect(row?.length).toBeLessThan(140);
  expect(row?.indexOf("HERE")).toBe(marker?.indexOf("^^^^"));
});

test("masked text is not shown, also in the line before", () => {
  const mask = (_: unknown, __: number, line: string) => line.replaceAll(/secret/g, "******");
  expect(frame("a: secret\nb: secret\n", "b", undefined, mask)).toEqual([" 1 │ a: ******", " 2 │ b: ******", "   │ ^"]);
});

import { expect, test } from "vitest";
import { drawFrame } from "./frame.ts";
import { makeSource } from "./source.ts";

const open = (_: unknown, __: number, line: string) => line;

function frame(text: string, marked: string, remark?: string, mask = open): string[] {
  const source = makeSource("config.yaml", text);
  const start = text.indexOf(marked);
  return drawFrame({ source, start, end: start + marked.length }, remark, mask).split("\n");
}

test("a frame shows the line before, the line, and a marker as long as the place", () => {
  const text = `${"\n".repeat(12)}  - name: worker\n    ip: 10.11.0.21\n`;
  expect(frame(text, "10.11.0.21", "not in 10.10.0.0/24")).toEqual([
    " 13 │   - name: worker",
    " 14 │     ip: 10.11.0.21",
    "    │         ^^^^^^^^^^ not in 10.10.0.0/24",
  ]);
});

test("the first line has none before it", () => {
  expect(frame("a: 1\n", "a")).toEqual([" 1 │ a: 1", "   │ ^"]);
});

test("numbers line up when they get longer", () => {
  expect(frame(`${"\n".repeat(8)}x\ny: 1\n`, "y")).toEqual(["  9 │ x", " 10 │ y: 1", "    │ ^"]);
});

test("a place of several lines is marked to the end of its first", () => {
  expect(frame("a: |\n  one\n  two\n", "|\n  one\n  two")).toEqual([" 1 │ a: |", "   │    ^"]);
});

test("Windows line ends leave no trace", () => {
  expect(frame("a: 1\r\nb: 22\r\n", "22")).toEqual([" 1 │ a: 1", " 2 │ b: 22", "   │    ^^"]);
});

test("the marker stands right below wide and combining characters", () => {
  expect(frame('a: "日本", b: e\u0301x, c: 1', "1")).toEqual([
    ' 1 │ a: "日本", b: e\u0301x, c: 1',
    "   │                      ^",
  ]);
});

test("tabs are shown, and what could command a terminal is not", () => {
  expect(frame("\ta: \u001b[31m1\u202e\n", "a")).toEqual([" 1 │ →a: ·[31m1·", "   │  ^"]);
});

test("a very long line is cut around the place", () => {
  const [row, marker] = frame(`x: [${"abc, ".repeat(100)}HERE, ${"abc, ".repeat(100)}]`, "HERE");
  expect(row?.length).toBeLessThan(140);
  expect(row?.indexOf("HERE")).toBe(marker?.indexOf("^^^^"));
});

test("what the mask takes out is not shown, also in the line before", () => {
  const mask = (_: unknown, __: number, line: string) => line.replaceAll(/secret/g, "******");
  expect(frame("a: secret\nb: secret\n", "b", undefined, mask)).toEqual([" 1 │ a: ******", " 2 │ b: ******", "   │ ^"]);
});

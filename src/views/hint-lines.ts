import { type Line, line, toned } from "./line.ts";

/** A hint that says who must do it where ("as root on pve: …") is a fix to be copied; any other is advice. */
export function hintLines(hint: string, indent: string): Line[] {
  const [first = "", ...more] = hint.split("\n");
  const word = /^fix\b/.test(first) ? "" : /^as \S+ on /.test(first) ? "fix, " : "hint: ";
  return [line(indent, toned("accent", word), first), ...more.map((row) => line(`${indent}  `, row))];
}

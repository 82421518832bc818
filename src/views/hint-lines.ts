import { type Line, line, toned } from "./line.ts";
import { runbookInvocation, runbookOf } from "./runbooks.ts";

/** Prints a hint. One that starts with "as root on pve: …" is a fix to copy; any other is advice. */
export function hintLines(hint: string, indent: string): Line[] {
  const [first = "", ...more] = hint.split("\n");
  const word = /^fix\b/.test(first) ? "" : /^as \S+ on /.test(first) ? "fix, " : "hint: ";
  return [line(indent, toned("accent", word), first), ...more.map((row) => line(`${indent}  `, row))];
}

/** Prints the hint of an error or finding and the command that prints its runbook. */
export function adviceLines({ code, hint }: { code: string; hint?: string }, indent: string): Line[] {
  const page = runbookOf(code);
  return [
    ...(hint === undefined ? [] : hintLines(hint, indent)),
    ...(page === undefined ? [] : [line(indent, toned("accent", "runbook: "), runbookInvocation(page))]),
  ];
}

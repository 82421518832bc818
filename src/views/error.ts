import type { ErrorReport, Where } from "@talosmith/lib/errors.ts";
import { adviceLines } from "./hint-lines.ts";
import { type Line, line, linesOf, toned } from "./line.ts";
import { BAD } from "./marks.ts";

/** Prints an error: its cause, its place and its hint. The only code that formats errors for a screen. */
export function errorLines(error: ErrorReport): Line[] {
  const [headline = "", ...more] = error.message.split("\n");
  const problems = error.problems ?? [];
  return [
    line(BAD, " ", toned("strong", headline)),
    ...more.flatMap((row) => linesOf(row, "  ")),
    ...(error.where === undefined ? [] : [line("  ", toned("accent", placeText(error.where)))]),
    ...body(error, "  "),
    ...problems.flatMap((problem) => [line(), ...problemLines(problem, "  ")]),
    ...(problems.length > 0 ? [line()] : []),
  ];
}

function problemLines(problem: ErrorReport, indent: string): Line[] {
  const [headline = "", ...more] = problem.message.split("\n");
  const nested = problem.problems ?? [];
  return [
    problem.where === undefined
      ? line(indent, toned("strong", headline))
      : line(indent, toned("accent", placeText(problem.where)), "  ", toned("strong", headline)),
    ...more.map((row) => line(indent, row)),
    ...body(problem, indent),
    ...nested.flatMap((inner) => problemLines(inner, `${indent}  `)),
  ];
}

function body(error: ErrorReport, indent: string): Line[] {
  const bug = error.kind === "internal" && error.hint === undefined;
  return [
    ...(error.where === undefined ? [] : frameLines(error.where, indent)),
    ...(error.detail === undefined ? [] : linesOf(error.detail, indent)),
    ...adviceLines(error, indent),
    ...(bug ? [line(indent, `this is a bug in talosmith (${error.code}), not in your config; please report it`)] : []),
  ];
}

/** "config.yaml:14:9" */
export function placeText({ file, line, column }: Where): string {
  return `${file}:${line}:${column}`;
}

export function frameLines({ frame }: Where, indent: string): Line[] {
  return frame === undefined ? [] : linesOf(frame.replace(/\n+$/, ""), indent);
}

import type { FactsResult } from "../engine/result.ts";
import { nextLines } from "./ending-lines.ts";
import { type Line, line, toned } from "./line.ts";
import { type Room, tableLines } from "./table-lines.ts";
import { padEnd, textWidth, wrapText } from "./text-width.ts";
import { valueWords } from "./value-words.ts";

/** Prints named values, or what a result has in place of them for people. */
export function factsLines(result: FactsResult, room: Room = {}): Line[] {
  if (result.display === undefined) return valuesLines(result, room);
  return result.display.flatMap((part, at) => [
    ...(at === 0 ? [] : [line()]),
    ...(part.kind === "table" ? tableLines(part, room) : valuesLines(part, room)),
  ]);
}

function valuesLines(result: FactsResult, { columns }: Room): Line[] {
  const width = Math.max(0, ...result.facts.map(({ label }) => textWidth(label)));
  const indent = " ".repeat(2 + width + 3);
  const room = columns === undefined || !result.wrapped ? Number.POSITIVE_INFINITY : Math.max(20, columns - indent.length);
  return [
    ...(result.title === "" ? [] : [line(toned("strong", result.title))]),
    ...result.facts.flatMap(({ label, value }) => {
      const [first = "", ...more] = valueWords(value)
        .split("\n")
        .flatMap((row) => wrapText(row, room));
      return [line("  ", toned("faint", padEnd(label, width)), "   ", first), ...more.map((row) => line(indent, row))];
    }),
    ...(result.next.length === 0 ? [] : [line(), ...nextLines(result.next, "  ")]),
  ];
}

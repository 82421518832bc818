import type { FactsResult } from "../engine/result.ts";
import { nextLines } from "./ending-lines.ts";
import { type Line, line, toned } from "./line.ts";
import { padEnd, textWidth } from "./text-width.ts";
import { valueWords } from "./value-words.ts";

export function factsLines(result: FactsResult): Line[] {
  const width = Math.max(0, ...result.facts.map(({ label }) => textWidth(label)));
  const indent = " ".repeat(2 + width + 3);
  return [
    ...(result.title === "" ? [] : [line(toned("strong", result.title))]),
    ...result.facts.flatMap(({ label, value }) => {
      const [first = "", ...more] = valueWords(value).split("\n");
      return [line("  ", toned("faint", padEnd(label, width)), "   ", first), ...more.map((row) => line(indent, row))];
    }),
    ...(result.next.length === 0 ? [] : [line(), ...nextLines(result.next, "  ")]),
  ];
}

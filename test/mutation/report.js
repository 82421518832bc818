import { partOf } from "./scope.js";

const oneLine = (text) => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 90 ? `${line.slice(0, 87)}...` : line;
};

/** A constant alone says little, so the line it is in is shown, too. */
export const describe = ({ file, line, code, operator, original, replacement }) => {
  const where = operator === "constant changed" ? ` in ${oneLine(code)}` : "";
  return `${file}:${line}  ${operator}: ${oneLine(original)} -> ${oneLine(replacement)}${where}`;
};

/** The reason that survivors.json gives. Lines move, so a mutant is known by its text and the text of its line. */
export function reasonFor(mutant, reasons) {
  return reasons.find((known) =>
    ["file", "code", "operator", "original", "replacement"].every((key) => known[key] === mutant[key]),
  )?.reason;
}

export const scoreOf = (mutants) =>
  mutants.length === 0 ? 100 : (100 * mutants.filter((mutant) => mutant.outcome.killed).length) / mutants.length;

/** Generated, killed, survived and the score of each part of the core and of all. An explained survivor has survived. */
export function tableOf(mutants) {
  const parts = grouped(mutants);
  const row = (name, all) => {
    const killed = all.filter((mutant) => mutant.outcome.killed).length;
    return [name, all.length, killed, all.length - killed, `${scoreOf(all).toFixed(1)} %`];
  };
  const rows = [
    ["part", "generated", "killed", "survived", "score"],
    ...[...parts].sort().map(([name, all]) => row(name, all)),
    row("all", mutants),
  ];
  return rows.map(([name, ...cells]) => name.padEnd(16) + cells.map((cell) => String(cell).padStart(10)).join("")).join("\n");
}

function grouped(mutants) {
  const parts = new Map();
  for (const mutant of mutants) parts.set(partOf(mutant.file), [...(parts.get(partOf(mutant.file)) ?? []), mutant]);
  return parts;
}

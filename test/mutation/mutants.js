import { createHash } from "node:crypto";
import { boundaryMoved } from "./operators/boundary-moved.js";
import { branchRemoved } from "./operators/branch-removed.js";
import { callRemoved } from "./operators/call-removed.js";
import { conditionNegated } from "./operators/condition-negated.js";
import { constantChanged } from "./operators/constant-changed.js";
import { nodesOf } from "./syntax.js";

/** An operator takes a node and its source and returns the places that it would replace. */
const OPERATORS = {
  "condition negated": conditionNegated,
  "boundary moved": boundaryMoved,
  "branch removed": branchRemoved,
  "call removed": callRemoved,
  "constant changed": constantChanged,
};

/** All mutants of a source, in its order. */
export function mutantsOf(file, source) {
  const found = [];
  const lines = source.split("\n");
  for (const at of nodesOf(source, file))
    for (const [operator, mutate] of Object.entries(OPERATORS))
      for (const place of mutate(at, source)) {
        const original = source.slice(place.start, place.end);
        const line = source.slice(0, place.start).split("\n").length;
        found.push({ file, line, code: lines[line - 1].trim(), operator, original, ...place });
      }
  return found;
}

/** `count` of the mutants, in their order. The same seed draws the same ones, and a mutant keeps its rank when other code changes. */
export function draw(mutants, { seed, count }) {
  const seen = new Map();
  const ranked = mutants.map((mutant, index) => {
    const name = [seed, mutant.file, mutant.operator, mutant.original, mutant.replacement].join("\n");
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    return { mutant, index, rank: createHash("sha256").update(`${name}\n${nth}`).digest("hex") };
  });
  return ranked
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)
    .sort((a, b) => a.index - b.index)
    .map(({ mutant }, id) => ({ id, ...mutant }));
}

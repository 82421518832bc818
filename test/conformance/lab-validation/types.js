import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../execute.js";
import { goOracle, TALOS } from "../oracle.js";

const folder = join(import.meta.dirname, "../../../packages/lab/talos/config");

const HEADS = {
  1.12: "The types of Talos 1.12's documents, as its decoder has them; `schema.ts` describes the format.",
  1.13: "Types that Talos 1.13 added or changed.",
  1.14: "Types that Talos 1.14 added or changed.",
};

/** The lab's tables of types and kinds are what Talos's own types are, release after release. With RECORD=1 they are written. */
export async function labTypes() {
  const kinds = TALOS.flatMap(({ minor }) => kindsIn(readFileSync(fileOf(minor), "utf8")));
  let before = { types: {}, kinds: {} };
  for (const talos of TALOS) {
    const oracle = await goOracle("lab-validation", talos);
    const schema = JSON.parse(await execute(oracle, ["schema", ...new Set(["v1alpha1", ...kinds])]));
    const now = {
      types: mapped(schema.types, typeLine),
      kinds: mapped(schema.kinds, (type, kind) => `${kind} ${type.replace(/^\*/, "")}`),
    };
    const text = table(talos.minor, changes(before.types, now.types), changes(before.kinds, now.kinds));
    if (process.env.RECORD === "1") writeFileSync(fileOf(talos.minor), text);
    assert.equal(
      readFileSync(fileOf(talos.minor), "utf8"),
      text,
      `${fileOf(talos.minor)} is not what Talos has: run with RECORD=1`,
    );
    before = now;
  }
  return `${Object.keys(before.types).length} types of ${Object.keys(before.kinds).length} kinds`;
}

function fileOf(minor) {
  return join(folder, `types-${minor.replace(".", "-")}.ts`);
}

/** A kind that is new to Talos is added to the last table by hand, once. */
function kindsIn(text) {
  return [...(text.split("export const KINDS")[1] ?? "").matchAll(/^(\w+) \S+$/gm)].map(([, kind]) => kind);
}

function mapped(object, line) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, line(value, name)]));
}

function typeLine({ custom, of, keys = [] }, name) {
  const printed = (type) => type.replaceAll("interface {}", "any");
  return [
    name,
    ...(custom ? [`!${custom}`] : []),
    ...(of ? [`=${printed(of)}`] : []),
    ...keys.map(([key, type]) => (type === "string" ? key : `${key}:${printed(type)}`)),
  ].join(" ");
}

function changes(before, now) {
  return Object.values(now)
    .filter((line) => before[line.split(" ")[0]] !== line)
    .sort((a, b) => (a < b ? -1 : 1));
}

function table(minor, types, kinds) {
  const name = minor.replace(".", "_");
  return `/** ${HEADS[minor]} */
export const TYPES_${name} = \`
${types.join("\n")}
\`;

/** The type of each kind of document; "v1alpha1" is the one without a kind. */
export const KINDS_${name} = \`
${kinds.join("\n")}
\`;
`;
}

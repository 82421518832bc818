import type { Json } from "@talosmith/lib/json.ts";
import type { Place } from "@talosmith/lib/yaml/source.ts";
import type { ScalarTree, Tree } from "@talosmith/lib/yaml/tree.ts";

/** YAML 1.1's other words for true and false, which kubectl's reader still takes. */
const WORDS = new Map([
  ...["yes", "Yes", "YES", "on", "On", "ON"].map((word) => [word, true] as const),
  ...["no", "No", "NO", "off", "Off", "OFF"].map((word) => [word, false] as const),
]);

/** Plain values as kubectl reads the same text: a number with a leading zero is octal, and yes and no are true and false. `unfit` is told of numbers that are none. */
export function manifestValue(tree: Tree, unfit: (at: Place) => void): Json {
  if (tree.kind === "scalar") return scalarValue(tree, unfit);
  if (tree.kind === "list") return tree.items.map((item) => manifestValue(item, unfit));
  return Object.fromEntries([...tree.entries].map(([key, entry]) => [key, manifestValue(entry.value, unfit)]));
}

function scalarValue(scalar: ScalarTree, unfit: (at: Place) => void): Json {
  const { value } = scalar;
  const { source, start, end } = scalar.definedAt ?? scalar.at;
  const written = source.text.slice(start, end);
  // What a reference brought in is text, whatever it looks like.
  if (scalar.written !== undefined) return value;
  if (typeof value === "string") return written === value ? (WORDS.get(value) ?? value) : value;
  if (typeof value !== "number") return value;
  if (/^[-+]?0[0-7]+$/.test(written)) return Number.parseInt(written, 8);
  if (!Number.isFinite(value)) unfit(scalar.at);
  return Number.isFinite(value) ? value : null;
}

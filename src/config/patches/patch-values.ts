import type { Json } from "@talosmith/lib/json.ts";
import type { Place } from "@talosmith/lib/yaml/source.ts";
import type { ScalarTree, Tree } from "@talosmith/lib/yaml/tree.ts";

/** A value of a patch that no machine config can hold. */
export interface Unfit {
  readonly at: Place;
}

/**
 * Plain values, as Talos reads the same text. Its YAML is that of Go: a number with a leading zero is octal, which is how people write the
 * permissions of files, and where text is expected a number is the text it was written as.
 */
export function patchValue(tree: Tree, unfit: Unfit[]): Json {
  if (tree.kind === "scalar") return scalarValue(tree, unfit);
  if (tree.kind === "list") return tree.items.map((item) => patchValue(item, unfit));
  return Object.fromEntries([...tree.entries].map(([key, entry]) => [key, patchValue(entry.value, unfit)]));
}

function scalarValue(scalar: ScalarTree, unfit: Unfit[]): Json {
  const { value } = scalar;
  if (typeof value !== "number") return value;
  const { source, start, end } = scalar.definedAt ?? scalar.at;
  const written = source.text.slice(start, end);
  if (/^[-+]?0[0-7]+$/.test(written)) return Number.parseInt(written, 8);
  if (Number.isSafeInteger(value)) return value;
  // 1.10 as a version is not 1.1, and a large number would lose its last digits.
  if (Number.isFinite(value)) return String(value) === written ? value : written;
  unfit.push({ at: scalar.at });
  return null;
}

import type { Json } from "@talosmith/lib/json.ts";
import type { Tree } from "@talosmith/lib/yaml/tree.ts";
import type { Problem } from "../findings.ts";
import { patchValue, type Unfit } from "./patch-values.ts";

export type Document = { readonly [key: string]: Json };

/** The plain values of a document, and what is wrong with it. */
export function documentOf(tree: Tree): { document?: Document; problems: Problem[] } {
  if (tree.kind !== "map") return { problems: [noMapping(tree)] };
  const unfit: Unfit[] = [];
  const document = patchValue(tree, unfit) as Document;
  const problems = unfit.map(
    ({ at }): Problem => ({
      code: "CONFIG_VALUE",
      at,
      message: "a patch contains an invalid number",
      hint: "put it in quotes, or write a finite number",
    }),
  );
  return { document, problems };
}

function noMapping(tree: Tree): Problem {
  const list = tree.kind === "list";
  return {
    code: "CONFIG_VALUE",
    at: tree.at,
    message: `a patch must be a section of keys, not ${list ? "a list" : "a single value"}`,
    hint: list
      ? "write a strategic merge patch, the part of a machine config that should change; lists of operations (JSON patches) are not supported"
      : 'write the part of a machine config that should change, such as machine: { sysctls: { vm.swappiness: "1" } }',
  };
}

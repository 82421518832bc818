import { pathName } from "@talosmith/lib/yaml/tree.ts";
import { parseTaint } from "../schema/kubernetes-words.ts";
import type { Check } from "./facts.ts";

/** Checks that each taint key is used once, as in Talos. */
export const taints: Check = ({ pools }, report) => {
  for (const pool of pools)
    for (const { path, value } of pool.everywhere("taints")) {
      const keys = value.map((taint) => (typeof taint === "string" ? parseTaint(taint)?.key : taint?.key));
      for (const [index, key] of keys.entries())
        if (key !== undefined && keys.indexOf(key) !== index)
          report.problem([...path, index], {
            message: `${pathName([...path, index])} is a second taint with the key ${key}`,
            hint: "keep one of the two: Talos sets one taint for each key",
          });
    }
};

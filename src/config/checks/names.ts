import { pathName } from "@talosmith/lib/yaml/tree.ts";
import { NAME } from "../schema/words.ts";
import type { Check } from "./facts.ts";

/** Checks that names with their numbers are valid host names and unique. */
export const names: Check = ({ pools }, report) => {
  const taken = new Set<string>();
  for (const pool of pools) {
    const path = pool.origin("name");
    const last = pool.nodes.at(-1)?.name;
    if (last !== undefined && !NAME.test(last))
      report.problem(path, {
        message: `${pathName(path)} is too long with its number`,
        hint: "shorten it: a host name has at most 63 characters",
        remark: `${last} has ${last.length} characters`,
      });
    const twice = pool.nodes.find(({ name }) => name !== undefined && taken.has(name))?.name;
    if (twice !== undefined)
      report.problem(path, {
        message: `${pathName(path)} creates a second node ${twice}`,
        hint: "give one of the two another name",
        remark: `${twice} exists already`,
      });
    for (const { name } of pool.nodes) if (name !== undefined) taken.add(name);
  }
};

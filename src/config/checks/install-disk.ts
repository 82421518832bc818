import { find, pathName } from "../../lib/yaml/tree.ts";
import { type Check, placesOfSetting } from "./facts.ts";

/** Machines made here have one system disk, and Talos is on it from the start. */
export const installDisk: Check = (facts, report) => {
  for (const path of placesOfSetting(facts, "installDisk"))
    if (find(report.tree, path) !== undefined)
      report.problem(path, {
        message: `${pathName(path)} is for platform metal only`,
        hint: "remove it: on Proxmox, Talos is on the machine's system disk; disk sets its size",
        on: "key",
      });
};

import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import { makesMachines } from "../platform.ts";
import type { Pool } from "../pools.ts";
import type { Report } from "../report.ts";
import type { Check } from "./facts.ts";

/** Checks that MAC addresses are unique: of nodes, bonds and additional cards. */
export const macs: Check = ({ pools, platform }, report) => {
  const taken = new Map<string, Path>();
  for (const pool of pools)
    for (const [path, mac] of macsOf(pool))
      ownMac(pool, path, mac.toUpperCase(), { taken, derived: makesMachines(platform) }, report);
};

function macsOf({ own, settings, origin }: Pool): [Path, string][] {
  const at = (path: Path, mac: string | undefined): [Path, string][] => (mac === undefined ? [] : [[path, mac]]);
  return [
    ...at(origin("mac"), own.mac),
    ...(settings.bond?.macs ?? []).flatMap((mac, index) => at([...origin("bond"), "macs", index], mac)),
    ...(settings.nics ?? []).flatMap((nic, index) => at([...origin("nics"), index, "mac"], nic?.mac)),
  ];
}

function ownMac(
  pool: Pool,
  path: Path,
  mac: string,
  { taken, derived }: { taken: Map<string, Path>; derived: boolean },
  report: Report,
): void {
  const other = taken.get(mac);
  taken.set(mac, path);
  const many = other !== undefined && pathName(other) === pathName(path) ? "several" : pool.nodes.length;
  if (many !== 1)
    report.problem(path, {
      message: `${pathName(path)} is one address for ${many} nodes`,
      hint:
        path.at(-1) === "mac" && (derived || path.length === 3)
          ? "remove mac, so that each node gets its own, or write the nodes one by one"
          : "write the nodes one by one, each with its own",
      remark: many === "several" ? "used by several" : `count is ${many}`,
    });
  else if (other !== undefined)
    report.problem(path, {
      message: `${pathName(path)} is the same as ${pathName(other)}`,
      hint: "give one of the two another address, or remove it",
      remark: "used twice",
    });
}

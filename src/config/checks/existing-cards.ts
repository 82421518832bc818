import { find, type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import { makesMachines } from "../platform.ts";
import type { Pool } from "../pools.ts";
import type { Report } from "../report.ts";
import type { Check } from "./facts.ts";

/** Checks the network cards of nodes whose machines exist already. */
export const existingCards: Check = ({ pools, platform }, report) => {
  if (platform === undefined || makesMachines(platform)) return;
  for (const pool of pools) {
    bonds(pool, report);
    const path = pool.origin("nics");
    for (const [index, nic] of (pool.settings.nics ?? []).entries())
      if (nic !== undefined && nic.mac === undefined) macOf([...path, index], report);
  }
};

function macOf(path: Path, report: Report): void {
  if (find(report.tree, [...path, "mac"]) !== undefined) return;
  report.problem(
    path,
    {
      message: `${pathName(path)}.mac is missing`,
      hint: 'add to this entry:\nmac: "BC:24:11:00:00:12"',
      remark: "mac is missing",
    },
    "CONFIG_MISSING_KEY",
  );
}

function bonds({ own, settings, origin }: Pool, report: Report): void {
  const { bond } = settings;
  if (bond === undefined) return;
  const path = origin("bond");
  if (own.mac !== undefined)
    report.problem(origin("mac"), {
      message: `${pathName(origin("mac"))} and ${pathName(path)} both set the node's network card`,
      hint: "remove mac: bond lists its own cards",
      on: "key",
    });
  if (bond.lacpRate !== undefined && bond.mode !== undefined && bond.mode !== "802.3ad")
    report.problem([...path, "lacpRate"], {
      message: `${pathName([...path, "lacpRate"])} is only for mode 802.3ad`,
      hint: "remove it, or set mode: 802.3ad",
      on: "key",
    });
}

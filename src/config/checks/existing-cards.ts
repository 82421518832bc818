import { find, type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import type { Pool } from "../pools.ts";
import type { Report } from "../report.ts";
import type { Check } from "./facts.ts";

/** Which cards a node uses whose machine exists already. */
export const existingCards: Check = ({ pools, draft }, report) => {
  for (const pool of pools) {
    // A rented server has one card, unless it says which one is meant.
    if (draft.platform === "metal") knownCard(pool, report);
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

/** Without a card that is known by its address, a node keeps what its network gives it. */
function knownCard({ index, own, settings, origin }: Pool, report: Report): void {
  if (own.mac !== undefined || settings.bond !== undefined || find(report.tree, ["nodes", index, "mac"]) !== undefined) return;
  for (const key of ["vlan", "gateway"] as const)
    if (settings[key] !== undefined)
      report.problem(origin(key), {
        message: `${pathName(origin(key))} cannot be told to nodes[${index}], whose network card is not known`,
        hint: 'add to the node:\nmac: "BC:24:11:00:00:11"\nor a bond; without them it keeps what its network gives it',
        on: "key",
      });
}

function bonds({ own, settings, origin }: Pool, report: Report): void {
  const { bond } = settings;
  if (bond === undefined) return;
  const path = origin("bond");
  if (own.mac !== undefined)
    report.problem(origin("mac"), {
      message: `${pathName(origin("mac"))} and ${pathName(path)} both say which network card the node uses`,
      hint: "remove mac: bond names its cards itself",
      on: "key",
    });
  if (bond.lacpRate !== undefined && bond.mode !== undefined && bond.mode !== "802.3ad")
    report.problem([...path, "lacpRate"], {
      message: `${pathName([...path, "lacpRate"])} is only for mode 802.3ad`,
      hint: "remove it, or set mode: 802.3ad",
      on: "key",
    });
}

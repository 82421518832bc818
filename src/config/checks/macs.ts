import { pathName } from "../../lib/yaml/tree.ts";
import type { Pool } from "../pools.ts";
import type { Report } from "../report.ts";
import type { Check } from "./facts.ts";

/** A network card has its own address. */
export const macs: Check = ({ pools }, report) => {
  const taken = new Map<string, Pool>();
  for (const pool of pools) ownMac(pool, taken, report);
};

function ownMac(pool: Pool, taken: Map<string, Pool>, report: Report): void {
  const mac = pool.own.mac?.toUpperCase();
  if (mac === undefined) return;
  const path = pool.origin("mac");
  const other = taken.get(mac);
  taken.set(mac, pool);
  if (pool.nodes.length > 1)
    report.problem(path, {
      message: `${pathName(path)} is one address for ${pool.nodes.length} nodes`,
      hint: "remove mac, so that each node gets its own, or write the nodes one by one",
      remark: `count is ${pool.nodes.length}`,
    });
  if (other !== undefined)
    report.problem(path, {
      message: `${pathName(path)} is the same as nodes[${other.index}].mac`,
      hint: "give one of the two another, or none",
      remark: "used twice",
    });
}

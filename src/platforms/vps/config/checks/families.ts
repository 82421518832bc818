import type { Family } from "@talosmith/lib/ip.ts";
import { pathName } from "@talosmith/lib/yaml/tree.ts";
import { gatewayFor } from "../../../../config/checks/facts.ts";
import { itemPath } from "../../../../config/pools.ts";
import type { VpsFacts } from "../draft.ts";
import type { VpsCheck } from "./check.ts";

const SUCH: Record<Family, string> = { 4: "203.0.113.11", 6: "2001:db8::11" };

/** Checks that all servers have addresses of the same families, in the same order, and that network.cidr and gateway have them, too. */
export const familiesOfServers: VpsCheck = (facts, report) => {
  const { families, pools, networks, gateways } = facts;
  if (families.length === 0 || families.includes(undefined)) return;
  const [first, second] = families;
  if (first === second) {
    const path = itemPath(report.tree, ["nodes", pools[0]?.index ?? 0, "ip"], 1);
    report.problem(path, {
      message: `${pathName(path)} is a second IPv${first} address`,
      hint: "name one address, or one of each family; addresses of other cards go under nics",
    });
    return;
  }
  for (const pool of pools) {
    const found = (pool.nodes[0]?.addresses ?? []).map((address) => address?.family);
    if (found.length === 0 || found.includes(undefined) || found.join() === families.join()) continue;
    const path = pool.origin("ip");
    report.problem(path, {
      message: `${pathName(path)} is ${names(found)}, but that of nodes[${pools[0]?.index}] is ${names(families)}`,
      hint: `write ${families.length === 1 ? `an ${names(families)} address` : "an address of each, in this order"}, such as ${such(facts)}`,
      remark: `${names(families)} ${families.length === 1 ? "is" : "are"} expected`,
    });
  }
  for (const [key, all] of [
    ["cidr", networks],
    ["gateway", gateways],
  ] as const)
    for (const [index, one] of all.entries()) {
      if (one === undefined) continue;
      const path = itemPath(report.tree, ["network", key], index);
      if (!families.includes(one.family))
        report.problem(path, {
          message: `${pathName(path)} is IPv${one.family}, but no node has an IPv${one.family} address`,
          hint: `write one that is ${names(families)}, or remove it`,
        });
      else if (key === "gateway" && gatewayFor(facts, one) !== one)
        report.problem(path, { message: `${pathName(path)} is a second IPv${one.family} gateway`, hint: "keep one of the two" });
    }
};

const names = (all: readonly (Family | undefined)[]) => all.map((family) => `IPv${family}`).join(" and ");

function such({ families }: VpsFacts): string {
  const all = families.map((family) => SUCH[family ?? 4]);
  return all.length === 1 ? all.join() : `[${all.join(", ")}]`;
}

import type { Family } from "@talosmith/lib/ip.ts";
import { pathName } from "@talosmith/lib/yaml/tree.ts";
import { itemPath, type Pool } from "../pools.ts";
import type { Report } from "../report.ts";
import { type Check, type Facts, gatewayFor, isAtProvider } from "./facts.ts";

const NAMES: Record<Family, string> = { 4: "IPv4", 6: "IPv6" };
const SUCH: Record<Family, string> = { 4: "10.10.0.11", 6: "fd00:10::11" };

/** Checks for at most one network per family, and that every node has an address in each, in the same order. */
export const families: Check = (facts, report) => {
  const { networks } = facts;
  const [first, second] = networks;
  if (first !== undefined && second !== undefined && first.family === second.family) {
    report.problem(["network", "cidr", 1], {
      message: `network.cidr[1] is a second ${NAMES[second.family]} network`,
      hint: "name one network, or one of each family; networks of other cards go under nics",
    });
    return;
  }
  if (isAtProvider(facts)) return;
  gateways(facts, report);
  // An invalid network cannot be compared.
  if (networks.length === 0 || networks.includes(undefined)) return;
  for (const pool of facts.pools) ofEachNetwork(pool, facts, report);
};

function gateways(facts: Facts, report: Report): void {
  const { networks, gateways } = facts;
  const known = networks.flatMap((network) => network ?? []);
  for (const [index, gateway] of gateways.entries()) {
    if (gateway === undefined) continue;
    const path = itemPath(report.tree, ["network", "gateway"], index);
    if (networks.length === known.length && known.length > 0 && !known.some(({ family }) => family === gateway.family))
      report.problem(path, {
        message: `${pathName(path)} is ${NAMES[gateway.family]}, but network.cidr is not`,
        hint: `write a gateway of ${known.map(({ text }) => text).join(" or ")}`,
      });
    else if (gatewayFor(facts, gateway) !== gateway)
      report.problem(path, {
        message: `${pathName(path)} is a second ${NAMES[gateway.family]} gateway`,
        hint: "keep one of the two",
      });
  }
  const first = networks[0];
  if (
    known.length === 2 &&
    first !== undefined &&
    !gateways.includes(undefined) &&
    gateways.length > 0 &&
    gatewayFor(facts, first) === undefined
  )
    report.problem(["network", "gateway"], {
      message: `network.gateway has no gateway for ${first.text}, the nodes' first network`,
      hint: `add its ${NAMES[first.family]} gateway; only the second network's may be missing`,
    });
}

function ofEachNetwork(pool: Pool, { networks }: Facts, report: Report): void {
  const addresses = pool.nodes[0]?.addresses ?? [];
  const wanted = networks.flatMap((network) => network?.family ?? []);
  if (addresses.length === 0 || addresses.includes(undefined)) return;
  const found = addresses.flatMap((address) => address?.family ?? []);
  if (found.join() === wanted.join()) return;
  const path = pool.origin("ip");
  const names = (all: readonly Family[]) => all.map((family) => NAMES[family]).join(" and ");
  const such = wanted.map((family) => SUCH[family]);
  report.problem(path, {
    message: `${pathName(path)} is ${names(found)}, but network.cidr is ${names(wanted)}`,
    hint: `write ${such.length === 1 ? `an ${names(wanted)} address` : "an address of each, in this order"}, such as ${such.length === 1 ? such[0] : `[${such.join(", ")}]`}`,
    remark: `${names(wanted)} ${wanted.length === 1 ? "is" : "are"} expected`,
  });
}

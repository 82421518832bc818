import { formatIp, isUsable, parseIp } from "@talosmith/lib/ip.ts";
import { pathName } from "@talosmith/lib/yaml/tree.ts";
import { freeRange } from "./addresses.ts";
import type { Check } from "./facts.ts";

/** Checks that a node's own gateway has the family of its first network and is reachable. */
export const gateways: Check = (facts, report) => {
  const {
    pools,
    networks: [first],
    families: [family],
    platform,
  } = facts;
  const rule = platform?.gatewayInside;
  for (const pool of pools) {
    const gateway = pool.settings.gateway === undefined ? undefined : parseIp(pool.settings.gateway);
    if (gateway === undefined || family === undefined) continue;
    const path = pool.origin("gateway");
    if (gateway.family !== family)
      report.problem(path, {
        message: `${pathName(path)} is IPv${gateway.family}, but the nodes' first network is IPv${family}`,
        hint: `write an IPv${family} address`,
      });
    else if (rule?.always && first !== undefined && !isUsable(first, gateway))
      report.problem(path, {
        message: `${pathName(path)} is outside network.cidr`,
        hint: `choose an address from ${freeRange(first)}: ${rule.because}`,
        remark: `not in ${first.text}`,
      });
    else if (pool.nodes.some(({ addresses }) => addresses[0] !== undefined && formatIp(addresses[0]) === formatIp(gateway)))
      report.problem(path, { message: `${pathName(path)} is the node's own address`, hint: "write the gateway's address" });
  }
};

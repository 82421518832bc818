import { contains, parseIp } from "@talosmith/lib/ip.ts";
import { find, pathName } from "@talosmith/lib/yaml/tree.ts";
import { isVip } from "../../../config/checks/endpoint.ts";
import type { Facts } from "../../../config/checks/facts.ts";
import type { Pool } from "../../../config/pools.ts";
import type { Report } from "../../../config/report.ts";

/** Whether all control planes have valid addresses: an invalid one could be meant to be the endpoint. */
function allAddressed({ pools, networks: [first] }: Facts): boolean {
  const nodes = pools.filter(({ role }) => role === "controlplane").flatMap((pool) => pool.nodes);
  return nodes.every(({ addresses: [own] }) => own !== undefined && first !== undefined && contains(first, own));
}

export function check(facts: Facts, report: Report): void {
  floatingCard(facts, report);
  for (const pool of facts.pools) knownCard(pool, report);
}

/** A virtual IP needs to know its network card. */
function floatingCard(facts: Facts, report: Report): void {
  const { endpoint, vip } = facts.draft.cluster ?? {};
  const address = endpoint === undefined ? undefined : parseIp(endpoint);
  const floating = vip ?? (address !== undefined && isVip(facts, address) ? endpoint : undefined);
  if (floating === undefined || (vip === undefined && !allAddressed(facts))) return;
  const line = report.line(["cluster", vip === undefined ? "endpoint" : "vip"]);
  for (const { index, role, own, settings } of facts.pools) {
    if (role !== "controlplane" || report.has(["nodes", index, "mac"]) || settings.bond !== undefined) continue;
    const several = own.count !== undefined && own.count > 1;
    report.problem(
      ["nodes", index],
      {
        message: `nodes[${index}].mac is missing: the virtual IP ${floating} (${line}) needs to know its network card`,
        hint: `${several ? "write the control planes one by one, each with its own mac" : "add to this entry:"}\nmac: "BC:24:11:00:00:11"\nor set cluster.endpoint to the address of a control plane, a DNS name or a load balancer`,
        remark: "mac is missing",
      },
      "CONFIG_MISSING_KEY",
    );
  }
}

/** Without `mac` or `bond`, a node uses DHCP and cannot have these settings. */
function knownCard({ index, own, settings, origin }: Pool, report: Report): void {
  if (own.mac !== undefined || settings.bond !== undefined || find(report.tree, ["nodes", index, "mac"]) !== undefined) return;
  for (const key of ["vlan", "gateway"] as const)
    if (settings[key] !== undefined)
      report.problem(origin(key), {
        message: `${pathName(origin(key))} needs mac or bond on nodes[${index}]`,
        hint: 'add to the node:\nmac: "BC:24:11:00:00:11"\nor a bond; without them the node uses what its DHCP server assigns',
        on: "key",
      });
}

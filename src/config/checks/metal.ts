import { contains, parseIp } from "@talosmith/lib/ip.ts";
import { isVip } from "./endpoint.ts";
import type { Check, Facts } from "./facts.ts";

/** A control plane whose address is wrong may be the one that was meant. */
function allAddressed({ pools, networks: [first] }: Facts): boolean {
  const nodes = pools.filter(({ role }) => role === "controlplane").flatMap((pool) => pool.nodes);
  return nodes.every(({ addresses: [own] }) => own !== undefined && first !== undefined && contains(first, own));
}

/** A floating address knows its network card. */
export const metal: Check = (facts, report) => {
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
        message: `nodes[${index}].mac is missing: the virtual IP ${floating} (${line}) must know its network card`,
        hint: `${several ? "write the control planes one by one, each with its own" : "add to this entry:"}\nmac: "BC:24:11:00:00:11"\nor let cluster.endpoint be the address of a control plane, a DNS name or a load balancer`,
        remark: "mac is missing",
      },
      "CONFIG_MISSING_KEY",
    );
  }
};

import type { Json } from "@talosmith/lib/json.ts";
import { mayAt } from "../access/permission.ts";
import { OPTIONAL_BOOLEAN, OPTIONAL_TEXT } from "../parameters/formats.ts";
import { died } from "../refusal.ts";
import { type ApiCall, type Method, route } from "./route.ts";

/** Software-defined networks (docs/facts/proxmox.md#software-defined-networks): they can be read; the lab's machines use bridges. */
function zones({ state, caller }: ApiCall): Json {
  return Object.entries(state.sdn.zones)
    .filter(([zone]) => ["SDN.Audit", "SDN.Allocate"].some((right) => mayAt(state, caller, `/sdn/zones/${zone}`, right)))
    .map(([zone, values]) => ({ zone, ...values }));
}

function vnets({ state, caller }: ApiCall): Json {
  return Object.entries(state.sdn.vnets)
    .filter(([vnet, { zone }]) =>
      ["SDN.Audit", "SDN.Allocate"].some((right) => mayAt(state, caller, `/sdn/zones/${zone}/${vnet}`, right)),
    )
    .map(([vnet, values]) => ({ vnet, type: "vnet", ...values }));
}

const LIST = { pending: OPTIONAL_BOOLEAN, running: OPTIONAL_BOOLEAN };

export const sdnRoutes: Method[] = [
  route("GET", "/cluster/sdn", { permission: { privilege: ["/sdn", "SDN.Audit"] } }, () =>
    ["vnets", "zones", "controllers", "ipams", "dns"].map((id) => ({ id })),
  ),
  route("GET", "/cluster/sdn/zones", { permission: { user: "all" }, parameters: { ...LIST, type: OPTIONAL_TEXT } }, zones),
  route("GET", "/cluster/sdn/zones/:zone", { permission: { privilege: ["/sdn/zones/:zone", "SDN.Allocate"] } }, (call) => {
    const zone = call.state.sdn.zones[call.params.zone ?? ""];
    if (!zone) throw died(`sdn '${call.params.zone}' does not exist`);
    return { zone: call.params.zone as string, ...zone };
  }),
  route("GET", "/cluster/sdn/vnets", { permission: { user: "all" }, parameters: LIST }, vnets),
];

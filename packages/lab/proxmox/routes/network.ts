import type { Json } from "@talosmith/lib/json.ts";
import { mayAt } from "../access/permission.ts";
import type { Property } from "../parameters/property.ts";
import { splitList } from "../parameters/schema.ts";
import { badParameters } from "../refusal.ts";
import { type Release, releaseOf } from "../release.ts";
import { shuffled } from "../shuffle.ts";
import { type Bond, type Bridge, type Host, hostNamed } from "../state.ts";
import { type ApiCall, type Method, route } from "./route.ts";

const typeOf = ({ sdnInterfaces }: Release): Property => ({
  type: "string",
  optional: true,
  enum: [
    ...["bridge", "bond", "eth", "alias", "vlan", ...(sdnInterfaces ? ["fabric"] : [])],
    ...["OVSBridge", "OVSBond", "OVSPort", "OVSIntPort", "vnet", "any_bridge", "any_local_bridge"],
    ...(sdnInterfaces ? ["include_sdn"] : []),
  ],
});

type Interface = { iface: string; type: string; [key: string]: Json };

const COMMON = { active: 1, exists: 1, families: ["inet"], method6: "manual" };

function ofCard(name: string): Interface {
  return { iface: name, type: "eth", ...COMMON, method: "manual" };
}

function ofBond({ name, slaves, mode }: Bond): Interface {
  const bond = { slaves: slaves.join(" "), bond_mode: mode, bond_miimon: "100" };
  return { iface: name, type: "bond", ...COMMON, autostart: 1, method: "manual", ...bond };
}

function ofBridge({ name, vlanAware, ports, cidr, gateway }: Bridge): Interface {
  const [address, netmask] = cidr?.split("/") ?? [];
  return {
    iface: name,
    type: "bridge",
    active: 1,
    autostart: 1,
    method: address === undefined ? "manual" : "static",
    method6: "manual",
    families: ["inet"],
    ...(address !== undefined && { address, netmask: netmask ?? "24", cidr: cidr as string }),
    ...(gateway !== undefined && { gateway }),
    bridge_ports: ports.join(" "),
    bridge_stp: "off",
    bridge_fd: "0",
    ...(vlanAware && { bridge_vlan_aware: 1, bridge_vids: "2-4094" }),
  };
}

/** All interfaces in the order of the host's file, which determines their priorities. */
function interfacesOf(host: Host): Interface[] {
  const cards = new Set([...host.bridges.flatMap(({ ports }) => ports), ...host.bonds.flatMap(({ slaves }) => slaves)]);
  for (const { name } of host.bonds) cards.delete(name);
  const all = [...[...cards].sort().map(ofCard), ...host.bonds.map(ofBond), ...host.bridges.map(ofBridge)];
  return all.map((one, index) => ({ ...one, priority: index + 3 }));
}

/** SDN networks on this host; listed only on request. */
function vnetsOf({ state, node }: ApiCall, wanted: string | undefined): { zone: string; shown: Interface }[] {
  const types = releaseOf(state).sdnInterfaces ? ["any_bridge", "include_sdn", "vnet"] : ["any_bridge"];
  if (wanted === undefined || !types.includes(wanted)) return [];
  return Object.entries(state.sdn.vnets).flatMap(([iface, { zone = "", alias, vlanaware }]) => {
    const { nodes, ipam }: Partial<Record<string, string>> = state.sdn.zones[zone] ?? {};
    if (nodes !== undefined && !splitList(nodes).includes(node)) return [];
    const options = { ipam: ipam === undefined ? 0 : 1, vlanaware: vlanaware === "1" ? 1 : 0, comments: alias ?? null };
    return [{ zone, shown: { iface, type: "vnet", active: "1", ...options } }];
  });
}

/** Bridges are listed for users who may audit or use them, or one of their VLANs. */
function isVisible({ state, caller }: ApiCall, { iface, type }: Interface, zone = "localnetwork"): boolean {
  if (type !== "bridge" && type !== "vnet") return true;
  const at = `/sdn/zones/${zone}/${iface}`;
  const paths = [at, ...state.access.acl.map(({ path }) => path).filter((path) => path.startsWith(`${at}/`))];
  return paths.some((path) => ["SDN.Audit", "SDN.Use"].some((right) => mayAt(state, caller, path, right)));
}

function fits(wanted: string | undefined, { type }: Interface): boolean {
  if (wanted === undefined || wanted === "include_sdn") return true;
  return wanted === type || (type === "bridge" && /^any(_local)?_bridge$/.test(wanted));
}

function list(call: ApiCall): Json {
  const { lab, state, node, params } = call;
  const interfaces = interfacesOf(hostNamed(state, node) as Host);
  return shuffled(lab, "interfaces", [
    ...interfaces.filter((one) => isVisible(call, one) && fits(params.type, one)),
    ...vnetsOf(call, params.type).flatMap(({ zone, shown }) => (isVisible(call, shown, zone) ? [shown] : [])),
  ]);
}

function one({ state, node, params }: ApiCall): Json {
  const found = interfacesOf(hostNamed(state, node) as Host).find(({ iface }) => iface === params.iface);
  if (!found) throw badParameters({ iface: "interface does not exist" });
  const { iface: _, ...rest } = found;
  return rest;
}

export const networkRoutes: Method[] = [
  route(
    "GET",
    "/nodes/:node/network",
    { permission: { user: "all" }, parameters: (release) => ({ type: typeOf(release) }) },
    list,
  ),
  route("GET", "/nodes/:node/network/:iface", { permission: { privilege: ["/nodes/:node", "Sys.Audit"] } }, one),
];

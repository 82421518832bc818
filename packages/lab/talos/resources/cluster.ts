import { createHash } from "node:crypto";
import type { Lab } from "../../kernel/kernel.ts";
import { type Called, configOf } from "../api/caller.ts";
import { type MachineConfig, machineConfig, value } from "../config/machine-config.ts";
import { networkOf } from "../machine/network.ts";
import { type Machine, talosState } from "../state.ts";
import { described, type ResourceSource } from "./resource.ts";

function announces(config: MachineConfig): boolean {
  return value(config, "cluster.discovery.enabled") === true;
}

/** Machines that announce themselves to the discovery service under the same cluster id. */
function discovered(called: Called): { machine: Machine; config: MachineConfig }[] {
  const own = configOf(called);
  if (!own || !announces(own)) return [];
  return Object.values(talosState(called.lab).machines).flatMap((machine) => {
    const { boot } = machine;
    const config = boot?.config === undefined ? undefined : machineConfig(boot.config);
    const here = boot?.api === "certificates" && config?.clusterId === own.clusterId;
    return here && announces(config) ? [{ machine, config }] : [];
  });
}

function addressesIn(machine: Machine): string[] {
  return networkOf(machine).addresses.map(({ address }) => address.split("/")[0] ?? "");
}

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A node id in Talos's format: 32 bytes in base 62. It is stored in STATE, so a reset changes it. */
function nodeId(lab: Lab, machine: Machine): string {
  const { wipes = 0 } = talosState(lab).disks[machine.boot?.disk ?? ""] ?? {};
  let rest = BigInt(`0x${createHash("sha256").update(`talos node ${machine.hardware.uuid} ${wipes}`).digest("hex")}`);
  let id = "";
  for (; rest > 0n; rest /= 62n) id = (BASE62[Number(rest % 62n)] ?? "") + id;
  return id;
}

function member(lab: Lab, { machine, config }: { machine: Machine; config: MachineConfig }) {
  const { hostname } = networkOf(machine);
  return {
    nodeId: nodeId(lab, machine),
    addresses: addressesIn(machine),
    hostname,
    nodename: hostname,
    machineType: config.role,
    operatingSystem: `Talos (${machine.boot?.system.version})`,
    ...(config.role === "controlplane" && { controlPlane: { port: 6443 } }),
  };
}

const AFFILIATE = `1 nodeId text  2 addresses ip*  3 hostname text  4 nodename? text  5 operatingSystem text  6 machineType machineType
  8 controlPlane? { 1 port number }`;

/** Resources about the members of a cluster. */
export const clusterSources: readonly ResourceSource[] = [
  described(
    "Members.cluster.talos.dev",
    "cluster.MemberController",
    `1 nodeId text  2 addresses ip*  3 hostname text  4 machineType machineType  5 operatingSystem text  6 controlPlane? { 1 port number }`,
    (called) => discovered(called).map((one) => [networkOf(one.machine).hostname, member(called.lab, one)]),
  ),
  described("Affiliates.cluster.talos.dev", "cluster.AffiliateMergeController", AFFILIATE, (called) =>
    discovered(called).flatMap((one) => {
      const spec = member(called.lab, one);
      const raw = { namespace: "cluster-raw" };
      if (one.machine === called.machine) return [[spec.nodeId, spec] as const];
      return [[spec.nodeId, spec] as const, [`service/${spec.nodeId}`, spec, raw] as const];
    }),
  ),
  described("Identities.cluster.talos.dev", "cluster.NodeIdentityController", "1 nodeId text", (called) =>
    configOf(called) ? [["local", { nodeId: nodeId(called.lab, called.machine) }]] : [],
  ),
  described("Infos.cluster.talos.dev", "cluster.InfoController", "1 clusterId text  2 clusterName text", (called) => {
    const config = configOf(called);
    return config ? [["current", { clusterId: config.clusterId, clusterName: config.clusterName }]] : [];
  }),
];

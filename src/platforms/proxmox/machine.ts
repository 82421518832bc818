import type { ProxmoxNodeConfig, Role } from "../../config/config.ts";
import type { MachineFacts } from "../platform.ts";
import type { VmConfig, VmSummary } from "./client/qemu.ts";
import { macFor } from "./identity.ts";
import { canonical, type IpConfig, ipConfigOf } from "./ip-config.ts";
import { type Mark, TAG } from "./mark.ts";
import { readNetworkCard, readProperties } from "./property-string.ts";
import type { ProxmoxEnvironment } from "./proxmox-environment.ts";

/** What a machine should be. */
export interface MachineSpec {
  node: ProxmoxNodeConfig;
  role: Role;
  environment: string;
  cluster: string;
  mac: string;
  addresses: IpConfig;
  nameservers: readonly string[];
  tags: readonly string[];
  guestAgent: boolean;
}

export function specOf(env: ProxmoxEnvironment, node: ProxmoxNodeConfig, environment: string): MachineSpec {
  const { cluster, network } = env.config;
  return {
    node,
    role: node.role,
    environment,
    cluster: cluster.name,
    mac: node.mac ?? macFor(environment, node.name),
    addresses: ipConfigOf(network, node),
    nameservers: network.nameservers.map(canonical),
    // Tags only narrow lists; the mark in the description is what counts.
    tags: [...new Set([TAG, environment, ...node.tags])].sort(),
    guestAgent: node.image.extensions.includes("siderolabs/qemu-guest-agent"),
  };
}

/** What a machine is. */
export interface Machine extends VmSummary {
  config: VmConfig;
  mark: Mark;
}

export function markFor(spec: MachineSpec, vm: number): Mark {
  const { environment, cluster, role, node } = spec;
  return { environment, cluster, node: node.name, vm, role, address: node.ip };
}

export function factsOf(node: ProxmoxNodeConfig, machine: Machine): MachineFacts {
  const { live } = machine.config;
  const { uuid } = readProperties(live.smbios1, "uuid");
  return {
    address: node.ip,
    ...(uuid !== undefined && { uuid: uuid.toLowerCase() }),
    mac: readNetworkCard(live.net0).mac,
    id: machine.vmid,
  };
}

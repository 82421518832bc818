import type { Where } from "@talosmith/lib/errors.ts";
import type { ConfigPath, Role } from "../../config/config.ts";
import type { MachineFacts } from "../platform.ts";
import { isRoot } from "./client/login.ts";
import type { VmConfig, VmSummary } from "./client/qemu.ts";
import type { ProxmoxNodeConfig } from "./config/config-on-proxmox.ts";
import { macFor } from "./identity.ts";
import { canonical, type IpConfig, ipConfigOf } from "./ip-config.ts";
import { type Mark, TAG } from "./mark.ts";
import { readNetworkCard, readProperties } from "./property-string.ts";
import type { ProxmoxEnvironment } from "./proxmox-environment.ts";

/** The wanted state of a machine. */
export interface MachineSpec {
  node: ProxmoxNodeConfig;
  role: Role;
  environment: string;
  cluster: string;
  /** The MACs of its cards, in order. */
  macs: readonly string[];
  addresses: IpConfig;
  nameservers: readonly string[];
  tags: readonly string[];
  /** The description from the config. */
  notes: string;
  guestAgent: boolean;
  secureboot: boolean;
  /** The volumes of its kept disks by the disks' names, once they exist. */
  kept: ReadonlyMap<string, string>;
  /** Whether the login is root, which may change options that no other login may. */
  asRoot: boolean;
  /** Finds a setting in the config. */
  where(setting: ConfigPath): Where | undefined;
}

export function specOf(env: ProxmoxEnvironment, node: ProxmoxNodeConfig, environment: string): MachineSpec {
  const { cluster, network, image, proxmox } = env.config;
  return {
    node,
    role: node.role,
    environment,
    cluster: cluster.name,
    macs: macsOf(node, environment),
    addresses: ipConfigOf(network, node),
    nameservers: network.nameservers.map(canonical),
    // Tags only narrow lists; the mark in the description is what counts.
    tags: [...new Set([TAG, environment, ...node.tags])].sort(),
    notes: (node.description ?? "").replaceAll("\r\n", "\n").trim(),
    guestAgent: node.agent ?? node.image.extensions.includes("siderolabs/qemu-guest-agent"),
    secureboot: image.secureboot,
    kept: new Map(),
    asRoot: isRoot(proxmox),
    where: env.where,
  };
}

/** The MACs of all cards of a node's machine, in order. */
export function macsOf(node: ProxmoxNodeConfig, environment: string): string[] {
  return [node.mac, ...node.nics.map(({ mac }) => mac)].map((mac, card) => mac ?? macFor(environment, node.name, card));
}

/** The present state of a machine. */
export interface Machine extends VmSummary {
  config: VmConfig;
  mark: Mark;
}

export function markFor(spec: MachineSpec, vm: number): Mark {
  const { environment, cluster, role, node } = spec;
  return {
    environment,
    cluster,
    node: node.name,
    vm,
    role,
    address: node.ip,
    disks: node.disks.map(({ serial }) => serial),
    ...(node.firmware !== "seabios" && { firmware: node.firmware }),
    ...(node.controller === "virtio" && { bus: node.controller }),
    ...(spec.secureboot && { secureboot: true }),
  };
}

/** Its SMBIOS UUID in lower case: Proxmox generates one for each VM. */
export function instanceOf({ config }: Pick<Machine, "config">): string | undefined {
  return readProperties(config.live.smbios1, "uuid").uuid?.toLowerCase();
}

export function factsOf(node: ProxmoxNodeConfig, machine: Machine): MachineFacts {
  const { live } = machine.config;
  const uuid = instanceOf(machine);
  return {
    address: node.ip,
    ...(uuid !== undefined && { uuid }),
    mac: readNetworkCard(live.net0).mac,
    id: machine.vmid,
  };
}

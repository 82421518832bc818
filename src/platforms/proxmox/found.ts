import type { Inventory, Owned } from "../platform.ts";
import type { VmSummary } from "./client/qemu.ts";
import { replacement } from "./compare.ts";
import type { ProxmoxNodeConfig } from "./config/config-on-proxmox.ts";
import { drivesOf } from "./fields/drives.ts";
import { memoryOf } from "./fields/memory.ts";
import { installationIso } from "./installation-iso.ts";
import { readKeptDisk } from "./kept-disks.ts";
import { mayBe } from "./likely-ids.ts";
import { instanceOf, type Machine } from "./machine.ts";
import type { Survey } from "./places.ts";
import type { ProxmoxEnvironment } from "./proxmox-environment.ts";
import type { Site } from "./site.ts";

/** A machine of this cluster in the form that all platforms use. `node`: it in the config, unless it was removed there. */
export function owned({ config }: ProxmoxEnvironment, machine: Machine, node: ProxmoxNodeConfig | undefined): Owned {
  const { mark, vmid, host, running } = machine;
  const iso = installationIso(machine.config.next);
  const instance = instanceOf(machine);
  const isRemade = node && replacement({ node, role: node.role, secureboot: config.image.secureboot }, machine).length > 0;
  return {
    name: mark.node,
    id: vmid,
    ...(instance !== undefined && { instance }),
    subject: `machine ${mark.node}`,
    where: `VM ${vmid} on ${host}${iso === undefined ? "" : ", its installation ISO attached"}`,
    role: mark.role,
    address: mark.address,
    state: running ? "running" : "stopped",
    memory: running ? memoryOf(machine.config.live) : 0,
    bootstrapped: mark.bootstrapped === true,
    ...(isRemade && { remade: true }),
    detail: { vmid, host, environment: mark.environment, ...(iso !== undefined && { iso }) },
  };
}

/** A machine on an offline host: it exists and must not be created a second time. Its role is taken from the config. */
export function unreadable({ config }: ProxmoxEnvironment, environment: string, vm: VmSummary): Owned {
  const node = config.nodes.find((one) => mayBe(vm, environment, one));
  const name = node?.name ?? vm.name ?? `vm-${vm.vmid}`;
  return {
    name,
    id: vm.vmid,
    subject: `machine ${name}`,
    where: `VM ${vm.vmid} on ${vm.host}, which is offline`,
    role: node?.role ?? "worker",
    address: node?.ip ?? "",
    state: "unreachable",
    bootstrapped: false,
    detail: { vmid: vm.vmid, host: vm.host, environment },
  };
}

/** Incomplete VMs that dead tasks left at this cluster's ids; only root can remove them. */
export function stuckVms({ env, places }: Site): Inventory["foreign"] {
  const stuck = env.config.nodes.flatMap(({ name }) => places.assigned(name)?.stuck ?? []);
  return [...new Map(stuck.map((vm) => [vm.vmid, vm])).values()].map(({ vmid, host }) => ({
    where: `VM ${vmid} on ${host}`,
    why: `incomplete, left by a task that died (as root on ${host}:  qm unlock ${vmid} && qm destroy ${vmid})`,
  }));
}

/** The disks that remain after `down`: those of the machines, and those that wait for one. */
export function keptDisks(environment: string, found: Survey, machines: readonly Machine[]): string[] {
  const plugged = machines.flatMap(({ config }) =>
    drivesOf(config.next).flatMap(({ value }) => readKeptDisk(value.file ?? "", environment)?.volume ?? []),
  );
  return [...new Set([...plugged, ...found.waiting.map(({ volume }) => volume)])].sort();
}

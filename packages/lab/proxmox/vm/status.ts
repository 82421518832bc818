import type { Json } from "@talosmith/lib/json.ts";
import type { Lab } from "../../kernel/kernel.ts";
import { releaseOf } from "../release.ts";
import type { ProxmoxState, Vm } from "../state.ts";
import { cpusOf, isTemplate, memoryOf, nameOf } from "./config.ts";
import { bootDiskSize } from "./disks.ts";
import { runningMachine } from "./hardware.ts";
import { isNicKey } from "./nic.ts";

const MiB = 1024 ** 2;

export function uptimeOf(lab: Lab, vm: Vm): number {
  return vm.power ? Math.floor((lab.now() - vm.power.since) / 1000) : 0;
}

/** The memory that a running machine actually uses. */
export function memoryUsed(vm: Vm): number {
  return vm.power ? Math.floor(memoryOf(vm.config) * MiB * 0.4) : 0;
}

/** Current status, read from the machine itself: GET /nodes/{n}/qemu and status/current. */
export function liveStatus(lab: Lab, state: ProxmoxState, vm: Vm): Record<string, Json> {
  const { config, power } = vm;
  const balloon = Number(config.balloon ?? 0);
  return {
    vmid: vm.vmid,
    name: nameOf(vm),
    status: power ? "running" : "stopped",
    ...(power && { pid: power.pid }),
    cpus: cpusOf(config),
    cpu: power ? 0.02 : 0,
    maxmem: memoryOf(config) * MiB,
    mem: memoryUsed(vm),
    ...(releaseOf(state).memhost && { memhost: memoryUsed(vm) }),
    ...(balloon > 0 && { balloon_min: balloon * MiB, shares: Number(config.shares ?? 1000) }),
    maxdisk: bootDiskSize(state, vm),
    disk: 0,
    diskread: 0,
    diskwrite: 0,
    netin: 0,
    netout: 0,
    uptime: uptimeOf(lab, vm),
    ...(isTemplate(vm) && { template: 1 }),
    ...(Object.keys(config).some((key) => key.startsWith("serial")) && { serial: 1 }),
    ...(config.lock !== undefined && { lock: config.lock }),
    ...(config.tags !== undefined && { tags: config.tags }),
  };
}

export function fullStatus(lab: Lab, state: ProxmoxState, vm: Vm): Record<string, Json> {
  const { config, power } = vm;
  const nics = Object.keys(config).filter(isNicKey);
  const release = releaseOf(state);
  const agent = /^(?:enabled=)?1\b/.test(config.agent ?? "");
  return {
    ...liveStatus(lab, state, vm),
    qmpstatus: power ? (power.paused ? "paused" : "running") : "stopped",
    ha: { managed: state.ha.resources[`vm:${vm.vmid}`] ? 1 : 0 },
    ...(agent && { agent: 1 }),
    ...(power && {
      "running-machine": runningMachine(config.machine, release.machine),
      "running-qemu": release.qemu,
      nics: Object.fromEntries(nics.map((key) => [`tap${vm.vmid}i${key.slice(3)}`, { netin: 0, netout: 0 }])),
      blockstat: {},
    }),
  };
}

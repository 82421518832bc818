import type { Json } from "@talosmith/lib/json.ts";
import type { Lab, TransitionHandler } from "../kernel/kernel.ts";
import { ROOT } from "./access/acl.ts";
import { durations } from "./durations.ts";
import { POWER_LOSS } from "./jobs/job.ts";
import { killJob } from "./jobs/kill.ts";
import { startTask } from "./jobs/upid.ts";
import { type Host, hostNamed, type ProxmoxState, proxmoxState, type Vm } from "./state.ts";
import { guestPoweredOff, startSteps } from "./vm/power.ts";

/** The transitions of a host that shuts down and of one that boots: {host, reboot} and {host}. */
export const SHUTDOWN_HOST = "proxmox.host.shutdown";
export const BOOT_HOST = "proxmox.host.boot";

/**
 * Switches a host off by power loss, or on again. Off, its machines are off and its workers are gone: a task ends without a last line, a `lock` in
 * a machine's config stays, a lock file does not (docs/facts/proxmox.md#locks). Machines with onboot start again with their host.
 */
export function setHostOnline(lab: Lab, name: string, online: boolean): void {
  lab.turn(() => {
    const host = hostNamed(proxmoxState(lab), name);
    if (!host || host.online === online) return;
    if (online) boot(lab, host);
    else losePower(lab, host);
  });
}

/** Reboots a host, as `reboot` on the host does; its kernel command line is read again. */
export function rebootHost(lab: Lab, name: string): void {
  lab.turn(() => lab.schedule(SHUTDOWN_HOST, 0, { host: name, reboot: true }));
}

/** Gives the cluster quorum or takes it away: without it, writes fail. */
export function setQuorate(lab: Lab, quorate: boolean): void {
  lab.turn(() => {
    proxmoxState(lab).quorate = quorate;
  });
}

function losePower(lab: Lab, host: Host): void {
  const state = proxmoxState(lab);
  host.online = false;
  for (const vm of machinesOn(state, host)) guestPoweredOff(lab, vm.vmid);
  for (const job of state.jobs.filter((known) => known.node === host.name && !known.outcome)) killJob(lab, state, job);
  settleQuorum(state);
}

function boot(lab: Lab, host: Host): void {
  const state = proxmoxState(lab);
  host.online = true;
  host.bootedAt = lab.now();
  if (host.iommuAfterBoot !== undefined) host.iommu = host.iommuAfterBoot;
  delete host.iommuAfterBoot;
  settleQuorum(state);
  if (state.quorate) startAll(lab, state, host);
}

/** A single host always has quorum. */
function settleQuorum(state: ProxmoxState): void {
  state.quorate = state.hosts.length === 1 || state.hosts.filter(({ online }) => online).length * 2 > state.hosts.length;
}

function machinesOn(state: ProxmoxState, host: Host): Vm[] {
  return Object.values(state.vms).filter((vm) => vm.node === host.name);
}

/** Starts the machines with onboot in their order; those without an order come last (docs/facts/proxmox.md#startup-order). */
function startAll(lab: Lab, state: ProxmoxState, host: Host): void {
  const wanted = machinesOn(state, host)
    .filter((vm) => vm.config.onboot === "1" && vm.config.template !== "1" && !state.ha.resources[`vm:${vm.vmid}`])
    .sort((a, b) => orderOf(a) - orderOf(b) || a.vmid - b.vmid);
  if (wanted.length === 0) return;
  const steps = wanted.flatMap((vm) => [
    { say: `Starting VM ${vm.vmid}` },
    { become: "host.start", with: { vmid: vm.vmid } },
    { after: durations.start + upOf(vm) },
  ]);
  startTask(lab, { type: "startall", id: "", node: host.name, by: ROOT, steps });
}

function orderOf(vm: Vm): number {
  return Number(/(?:^|,)(?:order=)?(\d+)(?:,|$)/.exec(vm.config.startup ?? "")?.[1] ?? Number.MAX_SAFE_INTEGER);
}

function upOf(vm: Vm): number {
  return Number(/(?:^|,)up=(\d+)/.exec(vm.config.startup ?? "")?.[1] ?? 0) * 1000;
}

/** A machine that cannot start does not block the next one. */
export const hostEffects = {
  "host.start": ({ lab, job }: { lab: Lab; job: { node: string } }, { vmid }: { vmid: number }) => {
    startTask(lab, { type: "qmstart", id: String(vmid), node: job.node, by: ROOT, steps: startSteps(vmid) });
    return [];
  },
};

export const hostTransitions: Record<string, TransitionHandler> = {
  [SHUTDOWN_HOST]: (lab, data) => {
    const { host: name, reboot } = data as { host: string; reboot: boolean } & Json;
    const host = hostNamed(proxmoxState(lab), name);
    if (!host?.online) return;
    losePower(lab, host);
    if (reboot) lab.schedule(BOOT_HOST, durations.hostBoot, { host: name });
  },
  [POWER_LOSS]: (lab, data) => {
    const host = hostNamed(proxmoxState(lab), (data as { host: string } & Json).host);
    if (host?.online) losePower(lab, host);
  },
  [BOOT_HOST]: (lab, data) => {
    const host = hostNamed(proxmoxState(lab), (data as { host: string } & Json).host);
    if (host && !host.online) boot(lab, host);
  },
};

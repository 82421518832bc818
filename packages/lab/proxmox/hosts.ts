import type { Json } from "@talosmith/lib/json.ts";
import { fingerprint256 } from "@talosmith/lib/x509/certificate.ts";
import type { Lab } from "../kernel/kernel.ts";
import { mayAt } from "./access/permission.ts";
import { died, SimulatedError } from "./refusal.ts";
import { releaseOf } from "./release.ts";
import { type Host, hostNamed, type ProxmoxState } from "./state.ts";
import { memoryUsed } from "./vm/status.ts";

const GiB = 1024 ** 3;
/** Memory and disk used by the host itself. */
const OWN_MEMORY = 3 * GiB;
const OWN_ROOTFS = 8 * GiB;

export function memoryOfHost(state: ProxmoxState, host: Host): { total: number; used: number } {
  const machines = Object.values(state.vms).filter((vm) => vm.node === host.name);
  return { total: host.memory, used: machines.reduce((sum, vm) => sum + memoryUsed(vm), host.ownMemory ?? OWN_MEMORY) };
}

export function uptimeOfHost(lab: Lab, host: Host): number {
  return Math.floor((lab.now() - host.bootedAt) / 1000);
}

/** Usage figures as shown in all lists. */
function hostFigures(lab: Lab, state: ProxmoxState, host: Host): Record<string, Json> {
  const { total, used } = memoryOfHost(state, host);
  return {
    cpu: 0.02,
    maxcpu: host.cpus,
    mem: used,
    maxmem: total,
    disk: OWN_ROOTFS,
    maxdisk: host.rootfs,
    uptime: uptimeOfHost(lab, host),
    level: "",
  };
}

/** One host in a list: usage figures for users who may see them, and fixed values even when it is off (API2Tools.pm). */
export function hostListing(lab: Lab, state: ProxmoxState, caller: string, host: Host): Record<string, Json> {
  if (host.online && host.figuresMissing) return { id: `node/${host.name}`, node: host.name, type: "node", status: "unknown" };
  const { cpu, mem, disk, uptime, level, ...fixed } = hostFigures(lab, state, host);
  const now = host.online ? { cpu: cpu as Json, mem: mem as Json, disk: disk as Json, uptime: uptime as Json } : {};
  return {
    id: `node/${host.name}`,
    node: host.name,
    type: "node",
    status: host.online ? "online" : "offline",
    level: level as Json,
    ...(mayAt(state, caller, `/nodes/${host.name}`, "Sys.Audit") && { ...fixed, ...now }),
  };
}

export function fingerprintOf(host: Host): string {
  return host.tls ? fingerprint256(host.tls.certificate) : "";
}

/** GET /nodes/{n}/status */
export function hostStatus(lab: Lab, state: ProxmoxState, host: Host): Record<string, Json> {
  const { total, used } = memoryOfHost(state, host);
  const { kernel, repoid, major } = releaseOf(state);
  const built = major === 9 ? "2026-07-20T09:00Z" : "2025-11-12T11:00Z";
  return {
    pveversion: `pve-manager/${state.version}/${repoid}`,
    kversion: `Linux ${kernel} #1 SMP PREEMPT_DYNAMIC PMX ${kernel} (${built})`,
    "current-kernel": {
      sysname: "Linux",
      release: kernel,
      version: `#1 SMP PREEMPT_DYNAMIC PMX ${kernel} (${built})`,
      machine: "x86_64",
    },
    "boot-info": { mode: "efi", secureboot: 0 },
    cpuinfo: {
      cpus: host.cpus,
      cores: host.cpus / 2,
      sockets: 1,
      model: host.processor.model,
      hvm: "1",
      mhz: "2999.998",
      user_hz: 100,
      flags: `fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat sse4_1 sse4_2 aes avx avx2 ${host.processor.vendor === "AuthenticAMD" ? "svm" : "vmx"}`,
    },
    memory: { total, used, free: total - used, available: total - used },
    swap: { total: 8 * GiB, used: 0, free: 8 * GiB },
    rootfs: { total: host.rootfs, used: OWN_ROOTFS, free: host.rootfs - OWN_ROOTFS, avail: host.rootfs - OWN_ROOTFS },
    loadavg: ["0.21", "0.18", "0.15"],
    uptime: uptimeOfHost(lab, host),
    cpu: 0.02,
    wait: 0,
    idle: 0,
    ksm: { shared: 0 },
  };
}

/** Calls are forwarded between hosts, and fail for an unreachable host (docs/facts/proxmox.md#status-codes). */
export function requireReachable(state: ProxmoxState, entry: string, node: string): void {
  const host = hostNamed(state, node);
  if (!host) throw died(`hostname lookup '${node}' failed - failed to get address info for: ${node}: Name or service not known`);
  if (node !== entry && !host.online) throw new SimulatedError(595, "No route to host");
}

/** Calls that write nothing to the cluster's file system. */
const WITHOUT_QUORUM = /^\/access\/ticket$|\/status\/(?:stop|shutdown|reset)$|\/tasks\/|^\/nodes\/:node\/(?:hosts|dns|time)$/;
/** Calls that write the users file, under its lock. */
const USER_FILE = /^\/(?:access|pools)(?:\/|$)/;

/** Without quorum the cluster's file system is read-only. */
export function requireWritable(state: ProxmoxState, path: string): void {
  if (state.quorate || WITHOUT_QUORUM.test(path)) return;
  throw died(USER_FILE.test(path) ? "cfs-lock 'file-user_cfg' error: no quorum!" : "cluster not ready - no quorum?");
}

import type { Json } from "../../lib/json.ts";
import { fingerprint256 } from "../../lib/x509/certificate.ts";
import type { Lab } from "../kernel/kernel.ts";
import type { Host, ProxmoxState } from "./state.ts";
import { memoryUsed } from "./vm/status.ts";

const GiB = 1024 ** 3;
/** What the system itself takes. */
const OWN_MEMORY = 3 * GiB;
const OWN_ROOTFS = 8 * GiB;

export function memoryOfHost(state: ProxmoxState, host: Host): { total: number; used: number } {
  const machines = Object.values(state.vms).filter((vm) => vm.node === host.name);
  return { total: host.memory, used: machines.reduce((sum, vm) => sum + memoryUsed(vm), OWN_MEMORY) };
}

export function uptimeOfHost(lab: Lab, host: Host): number {
  return Math.floor((lab.now() - host.bootedAt) / 1000);
}

/** The figures everybody's lists show. */
export function hostFigures(lab: Lab, state: ProxmoxState, host: Host): Record<string, Json> {
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

export function fingerprintOf(host: Host): string {
  return host.tls ? fingerprint256(host.tls.certificate) : "";
}

/** GET /nodes/{n}/status */
export function hostStatus(lab: Lab, state: ProxmoxState, host: Host): Record<string, Json> {
  const { total, used } = memoryOfHost(state, host);
  const kernel = "6.17.4-2-pve";
  return {
    pveversion: `pve-manager/${state.version}/7f1f8a2b3c4d5e6f`,
    kversion: `Linux ${kernel} #1 SMP PREEMPT_DYNAMIC PMX ${kernel} (2026-07-20T09:00Z)`,
    "current-kernel": {
      sysname: "Linux",
      release: kernel,
      version: `#1 SMP PREEMPT_DYNAMIC PMX ${kernel} (2026-07-20T09:00Z)`,
      machine: "x86_64",
    },
    "boot-info": { mode: "efi", secureboot: 0 },
    cpuinfo: {
      cpus: host.cpus,
      cores: host.cpus / 2,
      sockets: 1,
      model: "AMD EPYC 7302P 16-Core Processor",
      hvm: "1",
      mhz: "2999.998",
      user_hz: 100,
      flags: "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat sse4_1 sse4_2 aes avx avx2 svm",
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

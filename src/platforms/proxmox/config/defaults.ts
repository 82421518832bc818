import type { Role } from "../../../config/config.ts";

/** Control planes get what Talos recommends (docs/facts/talos.md#virtual-machines), workers twice the minimum. */
export const DEFAULT_SIZES: Record<Role, { cores: number; memory: string; disk: string }> = {
  controlplane: { cores: 4, memory: "4GiB", disk: "20GiB" },
  worker: { cores: 2, memory: "2GiB", disk: "20GiB" },
};

/**
 * `host` is fastest, but a machine started with it on one processor cannot move to a different one; with several hosts that could be any
 * day, so the level nearly all processors since 2010 share is used. Proxmox's own default, kvm64, is too old for Talos.
 */
export function defaultCpu(hosts: number): string {
  return hosts > 1 ? "x86-64-v2-AES" : "host";
}

/** The names that the Proxmox installer uses. */
export const DEFAULT_STORAGE = { disks: "local-lvm", images: "local" };
export const DEFAULT_BRIDGE = "vmbr0";
export const DEFAULT_MACHINE = "q35";
/** The controller that Talos recommends: with virtio-scsi-single it has been seen to hang (docs/facts/talos.md#virtual-machines). */
export const DEFAULT_CONTROLLER = "virtio-scsi-pci";

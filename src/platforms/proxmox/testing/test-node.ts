import type { ProxmoxNodeConfig } from "../../../config/config.ts";
import { plainNode } from "../../../config/testing/plain-node.ts";

/** A worker of a middling size, with whatever a test says differently. */
export function testNode(own: Partial<ProxmoxNodeConfig>): ProxmoxNodeConfig {
  return {
    ...plainNode({ name: "worker-1", role: "worker", ip: "10.10.0.21" }),
    cores: 4,
    sockets: 1,
    numa: false,
    cpu: "host",
    cpuFlags: [],
    memoryMiB: 8192,
    machine: "q35",
    firmware: "seabios",
    tpm: false,
    controller: "virtio-scsi-pci",
    diskGiB: 40,
    storage: "local-lvm",
    diskFlags: { discard: true, ssd: true, iothread: false, backup: true },
    disks: [],
    bridge: "vmbr0",
    plugs: [],
    pci: [],
    usb: [],
    serial: true,
    onboot: true,
    tags: [],
    protection: false,
    ...own,
  };
}

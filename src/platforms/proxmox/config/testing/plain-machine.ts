import { plainNode } from "../../../../config/testing/plain-node.ts";
import type { ProxmoxNodeConfig } from "../config-on-proxmox.ts";

/** A node on Proxmox that says nothing of itself but where it is. */
export function plainMachine(
  own: Partial<ProxmoxNodeConfig> & Pick<ProxmoxNodeConfig, "name" | "role" | "ip">,
): ProxmoxNodeConfig {
  return {
    ...plainNode(own),
    installDisk: "/dev/sda",
    nics: [],
    cores: 4,
    sockets: 1,
    numa: false,
    cpu: "host",
    cpuFlags: [],
    memory: 4096,
    machine: "q35",
    firmware: "seabios",
    tpm: false,
    controller: "virtio-scsi-pci",
    disk: 20,
    storage: "local-lvm",
    diskFlags: { discard: true, ssd: true, iothread: false, backup: true },
    disks: [],
    bridge: "vmbr0",
    pci: [],
    usb: [],
    serial: true,
    onboot: true,
    tags: [],
    protection: false,
    ...own,
  };
}

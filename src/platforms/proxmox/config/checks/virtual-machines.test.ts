import { expect, test } from "vitest";
import { changed, failure, load } from "../../../../config/testing/config-in-memory.ts";
import { type Case, toldAlone } from "../../../../config/testing/told-alone.ts";

/** At line 18 of the good config. */
const onNode = (...lines: string[]) => ({ "ip: 10.10.0.11": ["ip: 10.10.0.11", ...lines].join("\n    ") });
const warned = (...lines: string[]) => load(changed(onNode(...lines))).warnings.map(({ message }) => message);

const cases: Case[] = [
  [
    "an SSD of a controller that knows none",
    onNode("controller: virtio", "diskFlags: { ssd: true }"),
    "19:18",
    "nodes[0].diskFlags.ssd is for SCSI disks, but the controller is virtio (line 18)",
    "remove it, or set controller: virtio-scsi-pci",
  ],
  [
    "a thread for a disk of a shared controller",
    onNode("disks: [{ size: 1GiB, flags: { iothread: true } }]"),
    "18:36",
    "nodes[0].disks[0].flags.iothread needs one controller per disk, but virtio-scsi-pci is shared by all disks",
    "set controller: virtio, or virtio-scsi-single; or remove iothread",
  ],
  [
    "a PCI device in a machine without PCI Express",
    onNode("pci: [{ mapping: gpu0 }]", "machine: pc-i440fx-9.2"),
    "18:5",
    "nodes[0].pci needs PCI Express, which machine pc-i440fx-9.2 (line 19) does not have",
    "remove machine to use q35",
  ],
  [
    "Secure Boot without UEFI",
    { ...onNode("firmware: seabios"), "proxmox:\n": "image: { secureboot: true, method: iso }\nproxmox:\n" },
    "19:15",
    "nodes[0].firmware is seabios, but image.secureboot (line 9) needs ovmf",
    "remove firmware: Secure Boot selects ovmf",
  ],
  [
    "a display that is not there",
    onNode("serial: false", "display: serial0"),
    "19:14",
    "nodes[0].display is the serial console, but serial is false",
    "remove serial: false, or choose another display",
  ],
  [
    "a balloon larger than the memory",
    onNode("balloon: 5GiB"),
    "18:14",
    "nodes[0].balloon is more than the machine's memory",
    "use at most 4GiB, or false",
  ],
  [
    "a balloon beside a device",
    onNode("balloon: 2GiB", "pci: [{ mapping: gpu0 }]"),
    "18:5",
    "nodes[0].balloon takes memory back, but pci (line 19) keeps all of it in use",
    "remove balloon, or pci",
  ],
  [
    "a balloon beside huge pages",
    onNode("balloon: 2GiB", "hugepages: true"),
    "18:5",
    "nodes[0].balloon takes memory back, but hugepages (line 19) keeps all of it in use",
    "remove balloon, or hugepages",
  ],
  [
    // Memory.pm of qemu-server: "numa needs to be enabled to use hugepages".
    "huge pages without NUMA",
    onNode("numa: false", "hugepages: 2MiB"),
    "18:11",
    "nodes[0].numa is false, but hugepages (line 19) needs it",
    "remove numa: hugepages turns it on",
  ],
  [
    // Memory.pm of qemu-server: "Memory size … is not a multiple of the requested hugepages size …".
    "huge pages that do not divide the memory",
    onNode("memory: 5GiB", "sockets: 2", "hugepages: 1GiB"),
    "20:16",
    "nodes[0].hugepages does not divide the memory of 5 GiB on 2 sockets",
    "use a multiple of 2 GiB for memory, or hugepages: 2MiB",
  ],
  [
    "Secure Boot from a disk image that brings no keys",
    { "proxmox:\n": "image: { secureboot: true }\nproxmox:\n" },
    "9:22",
    "image.secureboot has no effect with method import before Talos v1.14: older disk images do not contain the keys",
    "set image.method: iso, or use Talos v1.14",
  ],
  [
    "clones of what is no template",
    { "proxmox:\n": "image: { clone: linked }\nproxmox:\n" },
    "9:10",
    "image.clone is for templates, but image.method is import",
    "set method: template, or remove clone",
  ],
];
toldAlone(cases);

test("warns about the controller with which Talos can hang", () => {
  expect(warned("controller: virtio-scsi-single", "diskFlags: { iothread: true }")).toEqual([
    "nodes[0].controller is virtio-scsi-single, with which Talos has been seen to hang at startup",
  ]);
});

test("a machine may have neither a display nor a serial console", () => {
  expect(warned("display: none", "serial: false")).toEqual([]);
});

test("UEFI is the firmware of machines with devices, and of all with Secure Boot", () => {
  const firmware = (changes: Record<string, string>) => load(changed(changes)).config.nodes.map((node) => node.firmware);
  expect(firmware(onNode("pci: [{ mapping: gpu0 }]"))).toEqual(["ovmf", "seabios", "seabios"]);
  expect(firmware(onNode("pci: [{ mapping: gpu0 }]", "firmware: seabios"))).toEqual(["seabios", "seabios", "seabios"]);
  expect(firmware({ "proxmox:\n": "image: { secureboot: true, method: iso }\nproxmox:\n" })).toEqual(["ovmf", "ovmf", "ovmf"]);
});

test("a disk is encrypted by a TPM safely only with Secure Boot", () => {
  expect(warned("tpm: true", "encryption: { ephemeral: tpm }")).toEqual([
    "nodes[0].encryption.ephemeral is tpm, but without Secure Boot anyone who has the machine can read the disk",
  ]);
});

test("Talos's minimum counts the cores of all sockets", () => {
  expect(load(changed(onNode("cores: 2", "sockets: 2"))).warnings).toEqual([]);
  expect(failure(changed(onNode("cores: 1", "sockets: 1"))).problems.map(({ message }) => message)).toEqual([
    "nodes[0].cores is less than a control plane needs",
  ]);
});

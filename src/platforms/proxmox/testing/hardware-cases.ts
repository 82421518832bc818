import type { FieldCase } from "./field-case.ts";
import { firmware } from "./field-machines.ts";

/** Processor, memory, firmware, ports and devices. */
export const HARDWARE_CASES: Readonly<Record<string, FieldCase>> = {
  cores: {
    behind: () => ({ cores: "8" }),
    shows: () => "restart cores: 8 → 2",
    config: { cores: 4 },
    applied: () => "restart cores: 2 → 4",
  },
  sockets: {
    behind: () => ({ sockets: "2" }),
    shows: () => "restart sockets: 2 → 1",
    config: { sockets: 2 },
    applied: () => "restart sockets: 1 → 2",
  },
  numa: {
    behind: () => ({ numa: "1" }),
    shows: () => "restart numa: true → false",
    config: { numa: true },
    applied: () => "restart numa: false → true",
  },
  cpu: {
    behind: () => ({ cpu: "cputype=host,flags=-pcid;+aes" }),
    shows: () => "restart cpu: host → x86-64-v3",
    config: { cpu: "host" },
    applied: () => "restart cpu: x86-64-v3 → host",
  },
  "cpu flags": {
    behind: () => ({ cpu: "x86-64-v3,flags=+aes" }),
    shows: () => "restart cpu flags: +aes → +aes -pcid",
    config: { cpuFlags: [] },
    applied: () => "restart cpu flags: +aes -pcid → none",
  },
  "cpu units": {
    behind: () => ({ cpuunits: "50" }),
    shows: () => "update cpu units: 50 → 200",
    config: { cpuUnits: 50_000 },
    applied: () => "update cpu units: 200 → 50000",
  },
  affinity: {
    asRoot: true,
    base: { affinity: "0-3" },
    behind: () => ({ affinity: "4,5" }),
    shows: () => "restart affinity: 4,5 → 0,1,2,3",
    config: { affinity: "8-9" },
    applied: () => "restart affinity: 0,1,2,3 → 8,9",
  },
  memory: {
    behind: () => ({ memory: "current=8192" }),
    shows: () => "restart memory: 8 GiB → 1 GiB",
    config: { memory: 3072 },
    applied: () => "restart memory: 1 GiB → 3 GiB",
  },
  balloon: {
    behind: () => ({ balloon: "0" }),
    shows: () => "restart balloon: off → 512 MiB",
    config: { balloon: 256 },
    applied: () => "update balloon: 512 MiB → 256 MiB",
  },
  hugepages: {
    asRoot: true,
    base: { hugepages: "2", numa: true },
    behind: () => ({ hugepages: "1024" }),
    shows: () => "restart hugepages: 1024 → 2",
    config: { hugepages: "any" },
    applied: () => "restart hugepages: 2 → any",
  },
  machine: {
    behind: () => ({ machine: "type=pc-q35-9.0" }),
    shows: () => "restart machine: pc-q35-9.0 → q35",
    config: { machine: "pc-q35-9.0" },
    applied: () => "restart machine: q35 → pc-q35-9.0",
  },
  bios: {
    base: firmware,
    behind: () => ({ bios: "seabios" }),
    shows: () => "restart bios: seabios → ovmf",
    config: { firmware: "seabios" },
    applied: () => "replace firmware: ovmf → seabios",
  },
  "efi disk": {
    base: firmware,
    behind: () => ({ delete: "efidisk0" }),
    shows: () => "restart efi disk: false → true",
  },
  tpm: {
    base: firmware,
    behind: () => ({ delete: "tpmstate0" }),
    shows: () => "restart tpm: false → true",
    config: { tpm: false },
  },
  scsihw: {
    behind: () => ({ scsihw: "lsi" }),
    shows: () => "restart scsihw: lsi → virtio-scsi-pci",
    config: { controller: "virtio-scsi-single" },
    applied: () => "restart scsihw: virtio-scsi-pci → virtio-scsi-single",
  },
  ostype: {
    behind: () => ({ ostype: "other" }),
    shows: () => "restart ostype: other → l26",
  },
  serial0: {
    behind: () => ({ delete: "serial0" }),
    shows: () => "restart serial0: none → socket",
    config: { serial: false },
    applied: () => "restart serial0: socket → none",
  },
  display: {
    behind: () => ({ vga: "type=qxl" }),
    shows: () => "restart display: qxl → virtio",
    config: { display: "serial0" },
    applied: () => "restart display: virtio → serial0",
  },
  "guest agent": {
    behind: () => ({ agent: "enabled=0,type=virtio" }),
    shows: () => "restart guest agent: false → true",
    config: { agent: false },
    applied: () => "restart guest agent: true → false",
  },
  "pci devices": {
    base: { pci: [{ mapping: "card" }] },
    behind: () => ({ hostpci0: "mapping=card" }),
    shows: () => "restart hostpci0: mapping card → mapping card, pcie",
    config: { pci: [] },
    applied: () => "restart hostpci0: mapping card, pcie → none",
  },
  "usb devices": {
    base: { usb: [{ mapping: "key" }] },
    behind: () => ({ usb1: "mapping=key" }),
    shows: () => "update usb1: mapping key → none",
    config: { usb: [] },
    applied: () => "update usb0: mapping key → none",
  },
};

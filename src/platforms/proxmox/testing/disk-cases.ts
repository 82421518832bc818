import type { FieldCase, Options } from "./field-case.ts";
import { data, disks, flags, models, WWN } from "./field-machines.ts";

const scsi0 = (edit: (text: string) => string) => (now: Options) => ({ scsi0: edit(now.scsi0 ?? "") });
const diskFlag = (flag: object) => ({ diskFlags: { ...flags, ...flag } });

/** The system disk, data disks, the cloud-init drive and the boot order. */
export const DISK_CASES: Readonly<Record<string, FieldCase>> = {
  "system disk": {
    // Proxmox unplugs no disk of the boot order from a machine that runs.
    behind: () => ({ delete: "scsi0" }),
    whileOff: true,
    shows: () => "restart system disk: none → scsi0, boot:  → scsi0",
    config: { controller: "virtio", diskFlags: { ...flags, ssd: false } },
    applied: () => "replace disk bus: scsi → virtio",
  },
  "disk discard": {
    behind: scsi0((text) => text.replace("discard=on,", "")),
    shows: () => "restart system disk discard: false → true",
    config: diskFlag({ discard: false }),
    applied: () => "restart system disk discard: true → false",
  },
  "disk ssd": {
    behind: scsi0((text) => text.replace(",ssd=1", "")),
    shows: () => "restart system disk ssd: false → true",
    config: diskFlag({ ssd: false }),
    applied: () => "restart system disk ssd: true → false",
  },
  "disk iothread": {
    behind: scsi0((text) => `${text},iothread=on`),
    shows: () => "restart system disk iothread: true → false",
    config: diskFlag({ iothread: true }),
    applied: () => "restart system disk iothread: false → true",
  },
  "disk cache": {
    behind: scsi0((text) => `${text},cache=unsafe`),
    shows: () => "restart system disk cache: unsafe → none",
    config: diskFlag({ cache: "writeback" }),
    applied: () => "restart system disk cache: none → writeback",
  },
  "disk backup": {
    behind: scsi0((text) => `${text},backup=no`),
    shows: () => "update system disk backup: false → true",
    config: diskFlag({ backup: false }),
    applied: () => "update system disk backup: true → false",
  },
  "disk size": {
    call: ["PUT", "/resize", { disk: "scsi0", size: "4G" }],
    kept: ({ name }) => `${name}: disk is 4 GiB, config says 3 GiB; kept (disks cannot shrink)`,
    config: { disk: 5 },
    applied: () => "update disk: 4 GiB → 5 GiB",
  },
  "data disk": {
    base: disks,
    behind: () => ({ delete: "scsi1" }),
    shows: () => "update disk models: none → 2 GiB on local-lvm",
    config: { disks: [models, data, { name: "more", serial: "more", size: 2, storage: "local-lvm", flags, keep: false }] },
    applied: () => "update disk more: none → 2 GiB on local-lvm",
  },
  "data disk wwn": {
    base: disks,
    behind: (now) => ({ scsi1: (now.scsi1 ?? "").replace(/,wwn=[^,]*/, "") }),
    shows: () => `restart disk models wwn: none → ${WWN}`,
    config: { disks: [{ ...models, wwn: "0x5525400ccccccccc" }, data] },
    applied: () => `restart disk models wwn: ${WWN} → 0x5525400ccccccccc`,
  },
  "data disk size": {
    base: disks,
    call: ["PUT", "/resize", { disk: "scsi1", size: "3G" }],
    kept: ({ name }) => `${name}: disk models is 3 GiB, config says 2 GiB; kept (disks cannot shrink)`,
    config: { disks: [models, data].map((disk) => ({ ...disk, size: 4 })) },
    applied: () => "update disk models size: 3 GiB → 4 GiB, disk data size: 1 GiB → 4 GiB",
  },
  "cloud-init drive": {
    behind: () => ({ delete: "ide2" }),
    shows: () => "restart cloud-init drive: false → true",
  },
  boot: {
    behind: () => ({ boot: "order=ide2;scsi0" }),
    shows: () => "restart boot: ide2, scsi0 → scsi0",
  },
};

import type { VmOptions } from "../client/qemu.ts";
import type { DataDisk, DiskFlags, ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import { type Properties, printProperties, readProperties, readSize } from "../property-string.ts";

type Bus = "scsi" | "virtio";

/** One drive of a VM. */
export interface Drive {
  /** "scsi0" */
  readonly slot: string;
  readonly value: Properties;
}

const SLOTS: Record<Bus, number> = { scsi: 31, virtio: 16 };
const DRIVE = /^(scsi|virtio|sata|ide)\d+$/;

export function busOf({ controller }: Pick<ProxmoxNodeConfig, "controller">): Bus {
  return controller === "virtio" ? "virtio" : "scsi";
}

export function systemSlot(node: Pick<ProxmoxNodeConfig, "controller">): string {
  return `${busOf(node)}0`;
}

function driveIn(options: VmOptions, slot: string): Drive | undefined {
  const text = options[slot];
  return text === undefined ? undefined : { slot, value: readProperties(text, "file") };
}

export function systemDrive(node: Pick<ProxmoxNodeConfig, "controller">, options: VmOptions): Drive | undefined {
  return driveIn(options, systemSlot(node));
}

/** Finds a data disk by its serial number, in any slot. */
export function dataDrive(disk: Pick<DataDisk, "serial">, options: VmOptions): Drive | undefined {
  return drivesOf(options).find(({ value }) => value.serial === disk.serial);
}

/** All disks, without CD-ROMs and the cloud-init drive. */
export function drivesOf(options: VmOptions): Drive[] {
  return Object.keys(options)
    .filter((slot) => DRIVE.test(slot))
    .sort()
    .flatMap((slot) => driveIn(options, slot) ?? [])
    .filter(({ value }) => value.media !== "cdrom");
}

/** The slots for configured disks that the VM does not have yet: always the same ones, and free. */
export function slotsFor(node: Pick<ProxmoxNodeConfig, "controller" | "disks">, options: VmOptions): Map<string, string> {
  const bus = busOf(node);
  const free = Array.from({ length: SLOTS[bus] - 1 }, (_, at) => `${bus}${at + 1}`).filter((slot) => options[slot] === undefined);
  const missing = node.disks.filter((disk) => !dataDrive(disk, options));
  return new Map(missing.map((disk, at) => [disk.serial, free[at] ?? `${bus}${SLOTS[bus] - 1}`]));
}

/** Volumes that were detached from the VM and not deleted. */
export function unusedVolumes(options: VmOptions): string[] {
  return Object.keys(options)
    .filter((option) => /^unused\d+$/.test(option))
    .sort()
    .flatMap((option) => readProperties(options[option], "file").file ?? []);
}

export function storageOf({ value }: Drive): string | undefined {
  return value.file?.split(":")[0];
}

export function bytesOf({ value }: Drive): number | undefined {
  return readSize(value.size);
}

/** A drive's value with these flags, and everything else unchanged. */
export function driveText(now: Properties, flags: DiskFlags, bus: Bus): string {
  const { discard: _, ssd: __, iothread: ___, cache: ____, backup: _____, ...rest } = now;
  return printProperties(
    {
      ...rest,
      ...(flags.discard && { discard: "on" }),
      ...(flags.ssd && bus === "scsi" && { ssd: "1" }),
      ...(flags.iothread && { iothread: "1" }),
      ...(flags.cache !== undefined && { cache: flags.cache }),
      ...(!flags.backup && { backup: "0" }),
    },
    "file",
  );
}

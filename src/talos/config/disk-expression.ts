import { userError } from "@talosmith/lib/errors.ts";
import type { DiskSelector } from "../../config/config.ts";

/**
 * A disk in the language in which Talos's documents choose one (CEL over `disk.*`). A selector has the meaning of machine.install.diskSelector: it
 * never matches device-mapper volumes, CD drives and other devices that are not disks of the machine.
 */
export function diskExpression(disk: string | DiskSelector): string {
  if (typeof disk === "string") return pathExpression(disk);
  return [
    disk.size === undefined ? [] : sizeExpression(disk.size),
    glob("wwid", disk.wwid),
    glob("model", disk.model),
    glob("serial", disk.serial),
    `disk.transport != ""`,
    disk.type === undefined ? [] : TYPES[disk.type],
    glob("bus_path", disk.busPath),
    "!disk.readonly",
    "!disk.cdrom",
  ]
    .flat()
    .join(" && ");
}

/** The expression for a path. talosctl always compares dev_path, the kernel's name, which never equals a link of udev. */
function pathExpression(path: string): string {
  return path.startsWith("/dev/disk/") ? `${quoted(path)} in disk.symlinks` : `disk.dev_path == ${quoted(path)}`;
}

const TYPES = {
  nvme: `disk.transport == "nvme"`,
  sd: `disk.transport == "mmc"`,
  hdd: "disk.rotational",
  ssd: "!disk.rotational",
} as const;

/** An asterisk stands for anything. */
function glob(field: string, pattern: string | undefined): string[] {
  return pattern === undefined ? [] : [`glob(${quoted(pattern)}, disk.${field})`];
}

/** Escapes of JSON are escapes of CEL. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

const SIZE = /^(>=|<=|==|>|<)?\s*(\d+(?:\.\d+)?)\s*([kmgtpe]?)(i?)b?$/i;
const STEPS = ["", "k", "m", "g", "t", "p", "e"];

/** The expression for a size, in bytes as machine.install.diskSelector reads the same text, although Talos has constants such as GB here. */
function sizeExpression(size: string): string {
  const [, operator = "==", count = "", step = "", binary = ""] = SIZE.exec(size.trim()) ?? [];
  if (count === "" || (step === "" && binary !== "")) {
    throw userError("TALOS_DISK_SIZE", {
      message: `Unable to choose a disk by the size "${size}"`,
      hint: 'write a comparison and a size, such as ">= 100GB" or "== 1TB"',
    });
  }
  const bytes = Number(count) * (binary === "" ? 1000 : 1024) ** STEPS.indexOf(step.toLowerCase());
  return `disk.size ${operator} ${BigInt(Math.trunc(bytes))}u`;
}

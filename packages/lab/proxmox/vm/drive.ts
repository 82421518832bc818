import { diskSize, urlEncoded } from "../parameters/formats.ts";
import type { Properties, Property } from "../parameters/property.ts";
import { type PropertyValues, parsePropertyString, printPropertyString } from "../parameters/property-string.ts";

const flag: Property = { type: "boolean", optional: true };
const text: Property = { type: "string", optional: true };
const amount: Property = { type: "integer", optional: true, minimum: 0 };
const rate: Property = { type: "number", optional: true, minimum: 0 };
const seconds: Property = { type: "integer", optional: true, minimum: 1 };

const file: Properties = {
  file: { type: "string", defaultKey: true },
  volume: { type: "string", optional: true, alias: "file" },
  format: { type: "string", optional: true, enum: ["raw", "qcow", "qed", "qcow2", "vmdk", "cloop"] },
  size: { type: "string", optional: true, format: diskSize },
  "import-from": text,
};

/** Throttle settings that can change while the machine runs. */
export const THROTTLES: readonly string[] = ["", "_rd", "_wr"].flatMap((way) => [
  ...["bps", "mbps", "iops"].map((what) => what + way),
  ...["mbps", "iops"].map((what) => `${what}${way}_max`),
  ...["bps", "iops"].map((what) => `${what}${way}_max_length`),
]);

function throttle(name: string): Property {
  if (name.endsWith("_length")) return seconds;
  return name.startsWith("mbps") ? rate : amount;
}

const common: Properties = {
  ...file,
  media: { type: "string", optional: true, enum: ["cdrom", "disk"] },
  snapshot: flag,
  cache: { type: "string", optional: true, enum: ["none", "writethrough", "writeback", "unsafe", "directsync"] },
  backup: flag,
  replicate: flag,
  shared: flag,
  rerror: { type: "string", optional: true, enum: ["ignore", "report", "stop"] },
  werror: { type: "string", optional: true, enum: ["enospc", "ignore", "report", "stop"] },
  aio: { type: "string", optional: true, enum: ["native", "threads", "io_uring"] },
  discard: { type: "string", optional: true, enum: ["ignore", "on"] },
  detect_zeroes: flag,
  serial: { type: "string", optional: true, format: urlEncoded, maxLength: 60 },
  ...Object.fromEntries(THROTTLES.map((name) => [name, throttle(name)])),
};

const wwn: Property = { type: "string", optional: true, pattern: /^0x[a-f0-9]{16}$/i };

const BUSES: Record<string, { count: number; properties: Properties }> = {
  ide: { count: 4, properties: { ...common, ssd: flag, wwn, model: { type: "string", optional: true, maxLength: 120 } } },
  sata: { count: 6, properties: { ...common, ssd: flag, wwn } },
  scsi: {
    count: 31,
    properties: {
      ...common,
      ssd: flag,
      wwn,
      iothread: flag,
      ro: flag,
      scsiblock: flag,
      queues: { type: "integer", optional: true, minimum: 2 },
      product: { type: "string", optional: true, maxLength: 16 },
      vendor: { type: "string", optional: true, maxLength: 8 },
    },
  },
  virtio: { count: 16, properties: { ...common, iothread: flag, ro: flag } },
  efidisk: {
    count: 1,
    properties: {
      ...file,
      efitype: { type: "string", optional: true, enum: ["2m", "4m"] },
      "pre-enrolled-keys": flag,
      "ms-cert": { type: "string", optional: true, enum: ["2011", "2023", "2023w", "2023k"] },
    },
  },
  tpmstate: { count: 1, properties: { ...file, version: { type: "string", optional: true, enum: ["v1.2", "v2.0"] } } },
  unused: { count: 256, properties: { file: file.file as Property, volume: file.volume as Property } },
};

export interface Drive extends PropertyValues {
  file: string;
}

function busOf(key: string): { count: number; properties: Properties } | undefined {
  const parts = /^(ide|sata|scsi|virtio|efidisk|tpmstate|unused)(\d+)$/.exec(key);
  const bus = parts ? BUSES[parts[1] as string] : undefined;
  return bus && Number(parts?.[2]) < bus.count && String(Number(parts?.[2])) === parts?.[2] ? bus : undefined;
}

/** Every drive a machine can have, except `unusedN`. */
export const DRIVE_KEYS: readonly string[] = Object.entries(BUSES).flatMap(([bus, { count }]) =>
  bus === "unused" ? [] : Array.from({ length: count }, (_, n) => `${bus}${n}`),
);

export function isDriveKey(key: string): boolean {
  return !key.startsWith("unused") && busOf(key) !== undefined;
}

export function driveProperties(key: string): Properties | undefined {
  return busOf(key)?.properties;
}

export function parseDrive(key: string, value: string): Drive {
  return parsePropertyString(busOf(key)?.properties ?? {}, value, key) as Drive;
}

export function printDrive(key: string, drive: PropertyValues): string {
  return printPropertyString(busOf(key)?.properties ?? {}, drive);
}

export function isCdrom(drive: Drive): boolean {
  return drive.media === "cdrom" || drive.file === "none" || drive.file === "cdrom";
}

export function isCloudInit(drive: Drive): boolean {
  return /(?:^|[:/-])cloudinit(?:\.(?:qcow2|raw))?$/.test(drive.file);
}

/** "STORAGE:SIZE" requests a new volume of that many GiB. */
export function allocation(drive: Drive): { storage: string; gibibytes: number } | undefined {
  const parts = /^([^/:\s]+):(\d+(?:\.\d+)?)$/.exec(drive.file);
  return parts ? { storage: parts[1] as string, gibibytes: Number(parts[2]) } : undefined;
}

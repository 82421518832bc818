import type { Json } from "@talosmith/lib/json.ts";
import { parse } from "yaml";
import { PARTITION_TYPES, SECTOR } from "../../factory/gpt.ts";
import { SYSTEM_RANGE } from "../../factory/image.ts";
import type { Lab } from "../../kernel/kernel.ts";
import { eraseDisk, readDisk, writeDisk } from "../../rescue/disk/blocks.ts";
import { metaValues } from "../../rescue/disk/meta.ts";
import { superblock } from "../../rescue/disk/signatures.ts";
import { partitionsOf, tableOf, writeTable } from "../../rescue/disk/table.ts";
import { talosOn } from "../../rescue/power.ts";
import { ipOf, type Server, type ServerDisk, serverNamed } from "../../rescue/state.ts";
import { at, list, word } from "../config/values.ts";
import { derivedUuid } from "../identity.ts";
import { type Disk, type Machine, type PlatformNetwork, talosState } from "../state.ts";
import type { Medium } from "./virtual.ts";

const MiB = 1024 ** 2;

/** META's key for the network of a metal machine. */
const NETWORK_KEY = 0x0a;

export function rentedKey(server: string): string {
  return `vps ${server}`;
}

function diskName(server: string, device: string): string {
  return `vps ${server} ${device}`;
}

/** A rented server as a Talos machine, with the system its firmware found; undefined when that is not Talos. */
export function rentedMachine(lab: Lab, name: string): { machine: Machine; medium: Medium } | undefined {
  const server = serverNamed(lab, name);
  const found = server && talosOn(server);
  if (!server || !found) return undefined;
  const machine: Machine = {
    key: rentedKey(name),
    name,
    rented: name,
    hardware: {
      uuid: server.uuid,
      manufacturer: "Talosmith",
      product: "vServer",
      cores: server.cores,
      memoryMiB: server.memoryMiB,
      disks: server.disks.map((disk) => diskOf(name, disk)),
      links: server.cards.map(({ mac, driver }, index) => ({ name: `enp${index + 1}s0`, mac, driver })),
    },
    platform: networkOf(lab, server, found.disk),
  };
  const disk = diskName(name, found.disk.device);
  remember(lab, disk, found.disk);
  return { machine, medium: { system: found.system, disk } };
}

function diskOf(server: string, { device, bytes, model, serial, wwid, rotational }: ServerDisk): Disk {
  const kind = device.startsWith("nvme") ? "nvme" : device.startsWith("vd") ? "virtio" : "scsi";
  return {
    name: diskName(server, device),
    device,
    size: bytes,
    model,
    // Talos shows no serial number of virtio disks (its issue 12073).
    serial: kind === "virtio" ? "" : serial,
    transport: kind === "scsi" ? "sata" : kind,
    cdrom: false,
    wwid: wwid ?? (kind === "scsi" ? `t10.QEMU    QEMU HARDDISK   ${serial}` : ""),
    rotational,
    links: [`/dev/disk/by-id/${kind}-${serial}`],
  };
}

/** Forgets Talos's state on a disk when its partitions are gone: writing an image makes it another disk. */
function remember(lab: Lab, name: string, disk: ServerDisk): void {
  const { disks } = talosState(lab);
  const partitions = partitionsOf(disk);
  if (!partitions.some((one) => one.name === "STATE")) delete disks[name];
  const volume = partitions.find((one) => one.name === "metal-iso");
  const known = disks[name] ?? { boots: 0 };
  if (volume) known.configVolume = { index: volume.index + 1, bytes: volume.bytes };
  disks[name] = known;
}

/** The server's network: from DHCP, from META, or none. */
function networkOf(lab: Lab, server: Server, disk: ServerDisk): PlatformNetwork {
  const meta = partitionsOf(disk).find(({ name }) => name === "META");
  const value = meta && metaValues(readDisk(disk, meta.offset, meta.bytes)).get(NETWORK_KEY);
  if (value !== undefined) return metaNetwork(value);
  if (server.network === "static") return { addresses: [], nameservers: [] };
  const gateway = server.gateway === undefined ? undefined : ipOf(lab, server.gateway);
  return {
    addresses: [`${ipOf(lab, server.address)}/${server.prefix}`],
    ...(gateway !== undefined && { gateway }),
    nameservers: [],
    dhcp: true,
  };
}

function metaNetwork(text: string): PlatformNetwork {
  let found: Json;
  try {
    found = parse(text) as Json;
  } catch {
    return { addresses: [], nameservers: [] };
  }
  const hostname = word(at(list(at(found, "hostnames"))[0], "hostname"));
  const gateway = list(at(found, "routes"))
    .map((route) => word(at(route, "gateway")))
    .find((one) => one !== "");
  return {
    ...(hostname !== "" && { hostname }),
    addresses: list(at(found, "addresses")).map((one) => word(at(one, "address"))),
    ...(gateway !== undefined && { gateway }),
    nameservers: list(at(found, "resolvers")).flatMap((one) => list(at(one, "dnsServers")).map(word)),
  };
}

/** Writes Talos's state to a server's disks when it goes down, so that other systems can read it. */
export function putDown(lab: Lab, { rented, boot }: Machine): void {
  const server = rented === undefined ? undefined : serverNamed(lab, rented);
  const disk = server?.disks.find(({ device }) => boot?.disk === diskName(server.name, device));
  const known = boot?.disk === undefined ? undefined : talosState(lab).disks[boot.disk];
  const table = disk && tableOf(disk);
  if (!server || !disk || !table || !known) return;
  let entries = [...table.entries];
  const volume = partitionsOf(disk).find(({ name }) => name === "metal-iso");
  if (volume && !known.configVolume) {
    eraseDisk(disk, volume.offset, volume.bytes);
    entries = entries.filter(({ name }) => name !== "metal-iso");
  }
  if (known.config !== undefined && !entries.some(({ name }) => name === "STATE")) {
    const free =
      (MiB / SECTOR) *
      Math.ceil((Math.max(...entries.filter(({ name }) => name !== "metal-iso").map(({ last }) => last)) + 1) / (MiB / SECTOR));
    const end = Math.min(
      ...entries.filter(({ first }) => first >= free).map(({ first }) => first),
      Math.floor(disk.bytes / MiB - 1) * (MiB / SECTOR),
    );
    const middle = free + (100 * MiB) / SECTOR;
    for (const [name, first, last] of [
      ["STATE", free, middle - 1],
      ["EPHEMERAL", middle, end - 1],
    ] as const) {
      const used = new Set(entries.map(({ index }) => index));
      const index = Array.from({ length: 128 }, (_, place) => place).find((place) => !used.has(place)) ?? 127;
      const uuid = derivedUuid(lab, "partition", boot?.disk ?? "", name);
      entries.push({ index, type: PARTITION_TYPES.linux, uuid, first, last, name });
      const { offset, bytes } = superblock("xfs", name, derivedUuid(lab, "filesystem", boot?.disk ?? "", name));
      writeDisk(disk, first * SECTOR + offset, bytes);
    }
  }
  writeTable(disk, table.disk, entries);
}

/** Resets a server's disk: the whole disk's beginning and end, or the partitions that Talos starts from. */
export function wipeRented(lab: Lab, name: string, labels: readonly string[]): void {
  const [, server, device] = /^vps (.+) (\S+)$/.exec(name) ?? [];
  const disk = server === undefined ? undefined : serverNamed(lab, server)?.disks.find((one) => one.device === device);
  if (!disk) return;
  if (labels.some((label) => label === "EFI" || label === "BOOT")) eraseDisk(disk, SYSTEM_RANGE.offset, SYSTEM_RANGE.length);
  if (labels.length > 0) return;
  for (const { offset } of partitionsOf(disk)) eraseDisk(disk, offset, MiB / 16);
  eraseDisk(disk, 0, MiB);
  eraseDisk(disk, disk.bytes - MiB, MiB);
}

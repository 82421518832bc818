import type { Lab } from "../kernel/kernel.ts";
import { derivedBytes, derivedUuid } from "../talos/identity.ts";
import { type Content, fill } from "./disk/contents.ts";
import type { Server, ServerDisk } from "./state.ts";

export interface RescueOptions {
  servers?: readonly RentedServer[];
  /** Of root. */
  password?: string;
}

/** A server as it is rented. What is absent is as in most of them. */
export interface RentedServer {
  name: string;
  /** A number is the last part of one of the lab's own addresses. */
  address: string | number;
  prefix?: number;
  gateway?: string | number;
  network?: "dhcp" | "static";
  arch?: "amd64" | "arm64";
  firmware?: "bios" | "uefi";
  secureBoot?: boolean;
  memoryGiB?: number;
  cores?: number;
  /** Their MACs; the first one has the address. */
  cards?: readonly string[];
  disks?: readonly RentedDisk[];
  tools?: "debian" | "busybox" | readonly string[];
  egress?: boolean;
  keepsKey?: boolean;
  /** At the beginning; the rescue system when absent. */
  runs?: "rescue" | "system";
}

export interface RentedDisk {
  /** "sda", "nvme0n1", "vda" */
  device: string;
  gib: number;
  serial: string;
  wwid?: string;
  model?: string;
  content?: Content;
  mounted?: string;
  active?: true;
  readonly?: boolean;
  removable?: boolean;
  rotational?: boolean;
}

export function newServer(lab: Lab, rented: RentedServer): Server {
  const { name, address, gateway, runs = "rescue" } = rented;
  const cards = rented.cards ?? [macOf(lab, name)];
  const disks = rented.disks ?? [{ device: "sda", gib: 40, serial: `S-${name}`, content: "debian" as const }];
  return {
    name,
    address,
    prefix: rented.prefix ?? 24,
    ...(gateway !== undefined && { gateway }),
    network: rented.network ?? "static",
    arch: rented.arch ?? "amd64",
    firmware: rented.firmware ?? "bios",
    secureBoot: rented.secureBoot ?? false,
    uuid: derivedUuid(lab, "rented", name),
    memoryMiB: (rented.memoryGiB ?? 8) * 1024,
    cores: rented.cores ?? 4,
    cards: cards.map((mac, index) => ({ name: `eth${index}`, mac: mac.toLowerCase(), driver: "virtio_net" })),
    disks: disks.map((disk) => newDisk(lab, name, disk)),
    tools: rented.tools === undefined || typeof rented.tools === "string" ? (rented.tools ?? "debian") : [...rented.tools],
    egress: rented.egress ?? true,
    keepsKey: rented.keepsKey ?? true,
    isOn: true,
    boot: 0,
    runs: "nothing",
    ...(runs === "rescue" && { next: { keys: [], password: "" } }),
  };
}

function macOf(lab: Lab, name: string): string {
  return ["02", ...[...derivedBytes(lab, 5, "rented mac", name)].map((byte) => byte.toString(16).padStart(2, "0"))].join(":");
}

function newDisk(lab: Lab, server: string, wanted: RentedDisk): ServerDisk {
  const { device, gib, serial, wwid, mounted, active, content = "blank" } = wanted;
  const disk: ServerDisk = {
    device,
    bytes: gib * 1024 ** 3,
    model: wanted.model ?? (device.startsWith("nvme") ? "LAB NVMe" : device.startsWith("vd") ? "" : "HARDDISK"),
    serial,
    ...(wwid !== undefined && { wwid }),
    rotational: wanted.rotational ?? false,
    readonly: wanted.readonly ?? false,
    removable: wanted.removable ?? false,
    ...(mounted !== undefined && { mounted }),
    ...(active && { active }),
    blocks: {},
  };
  fill(disk, content, (of) => derivedUuid(lab, "rented disk", server, device, of));
  return disk;
}

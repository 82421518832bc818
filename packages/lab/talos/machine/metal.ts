import type { Lab } from "../../kernel/kernel.ts";
import { derivedBytes, derivedUuid } from "../identity.ts";
import type { Disk, Machine, TalosState } from "../state.ts";
import type { Medium } from "./virtual.ts";

const GiB = 1024 ** 3;

/** A machine without Proxmox: on from the start, booted from a Talos CD, with an address from a DHCP server. */
export interface MetalMachine {
  name: string;
  /** A number is the last part of an address in the lab's own block. */
  address: string | number;
  /** Prefix length of its network; 24 when absent. */
  prefix?: number;
  gateway?: string;
  /** "v1.13.9" */
  talos: string;
  schematic?: string;
  cores?: number;
  memoryGiB?: number;
  diskGiB?: number;
  /** Disks after the first one: sdb, sdc and so on. */
  moreDisksGiB?: readonly number[];
  /** Instead of those by size alone. */
  disks?: readonly MetalDisk[];
  mac?: string;
  /** Cards after the first one, by their MACs. */
  moreCards?: readonly string[];
  arch?: "amd64" | "arm64";
  uuid?: string;
}

export interface MetalDisk {
  /** "sda", "nvme0n1" */
  device: string;
  gib: number;
  serial?: string;
  model?: string;
  wwid?: string;
  busPath?: string;
  rotational?: boolean;
}

/** The schematic without extensions. */
export const PLAIN_SCHEMATIC = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";

export function newMetal(lab: Lab, metal: MetalMachine): Machine {
  const address = typeof metal.address === "number" ? lab.address.host(metal.address) : metal.address;
  const mac = ["02", ...[...derivedBytes(lab, 5, "mac", metal.name)].map((byte) => byte.toString(16).padStart(2, "0"))].join(":");
  return {
    key: `metal ${metal.name}`,
    name: metal.name,
    cd: {
      version: metal.talos,
      platform: "metal",
      arch: metal.arch ?? "amd64",
      schematic: metal.schematic ?? PLAIN_SCHEMATIC,
      secureBoot: false,
    },
    hardware: {
      uuid: metal.uuid ?? derivedUuid(lab, "metal", metal.name),
      manufacturer: "Talosmith",
      product: "Lab Metal",
      cores: metal.cores ?? 4,
      memoryMiB: (metal.memoryGiB ?? 8) * 1024,
      disks: [
        ...(metal.disks ?? bySize(metal)).map((disk, index) => metalDisk(metal.name, disk, index)),
        { device: "sr0", size: GiB / 8, model: "LAB CD", serial: "", transport: "usb", cdrom: true },
      ],
      links: [metal.mac ?? mac, ...(metal.moreCards ?? [])].map((address, index) => ({
        name: `enp${index + 1}s0`,
        mac: address.toLowerCase(),
        driver: "igc",
      })),
    },
    platform: {
      addresses: [`${address}/${metal.prefix ?? 24}`],
      ...(metal.gateway !== undefined && { gateway: metal.gateway }),
      nameservers: [],
      dhcp: true,
    },
  };
}

function bySize({ diskGiB = 100, moreDisksGiB = [] }: MetalMachine): MetalDisk[] {
  return [diskGiB, ...moreDisksGiB].map((gib, index) => ({ device: `sd${String.fromCharCode(97 + index)}`, gib }));
}

function metalDisk(name: string, { device, gib, serial, ...facts }: MetalDisk, index: number): Disk {
  const isNvme = device.startsWith("nvme");
  return {
    name: `metal ${name} ${device}`,
    device,
    size: gib * GiB,
    model: isNvme ? "LAB NVMe" : "LAB SSD",
    serial: serial ?? (index === 0 ? `S-${name}` : `S-${name}-${device}`),
    transport: isNvme ? "nvme" : "sata",
    cdrom: false,
    ...facts,
  };
}

/** The system that it boots; its firmware tries the disks first. */
export function metalMedium(talos: TalosState, machine: Machine): Medium | undefined {
  for (const { name } of machine.hardware.disks) {
    const installed = name === undefined ? undefined : talos.disks[name]?.system;
    if (name !== undefined && installed) return { system: installed, disk: name };
  }
  return machine.cd && { system: machine.cd };
}

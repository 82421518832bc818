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
  mac?: string;
  uuid?: string;
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
      arch: "amd64",
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
        ...[metal.diskGiB ?? 100, ...(metal.moreDisksGiB ?? [])].map((gib, index) => metalDisk(metal.name, gib, index)),
        { device: "sr0", size: GiB / 8, model: "LAB CD", serial: "", transport: "usb", cdrom: true },
      ],
      links: [{ name: "enp1s0", mac: (metal.mac ?? mac).toLowerCase(), driver: "igc" }],
    },
    platform: {
      addresses: [`${address}/${metal.prefix ?? 24}`],
      ...(metal.gateway !== undefined && { gateway: metal.gateway }),
      nameservers: [],
      dhcp: true,
    },
  };
}

function metalDisk(name: string, gib: number, index: number): Disk {
  const device = `sd${String.fromCharCode(97 + index)}`;
  return {
    name: `metal ${name} ${device}`,
    device,
    size: gib * GiB,
    model: "LAB SSD",
    serial: index === 0 ? `S-${name}` : `S-${name}-${device}`,
    transport: "sata",
    cdrom: false,
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

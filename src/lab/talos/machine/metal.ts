import type { Lab } from "../../kernel/kernel.ts";
import { derivedBytes, derivedUuid } from "../identity.ts";
import type { Machine, TalosState } from "../state.ts";
import type { Medium } from "./virtual.ts";

const GiB = 1024 ** 3;

/** A machine that nobody's Proxmox runs: on from the start, booted from Talos's CD, with an address from some DHCP server. */
export interface MetalMachine {
  name: string;
  /** A number is the last part of one of the lab's own addresses. */
  address: string | number;
  /** Of the network it is in; 24 when absent. */
  prefix?: number;
  gateway?: string;
  /** "v1.13.9" */
  talos: string;
  schematic?: string;
  cores?: number;
  memoryGiB?: number;
  diskGiB?: number;
  mac?: string;
  uuid?: string;
}

/** Of an image without extensions. */
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
        {
          name: `metal ${metal.name} sda`,
          device: "sda",
          size: (metal.diskGiB ?? 100) * GiB,
          model: "LAB SSD",
          serial: `S-${metal.name}`,
          transport: "sata",
          cdrom: false,
        },
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

/** Its firmware tries the disk first. */
export function metalMedium(talos: TalosState, machine: Machine): Medium | undefined {
  const disk = machine.hardware.disks[0]?.name;
  const installed = disk === undefined ? undefined : talos.disks[disk]?.system;
  if (disk !== undefined && installed) return { system: installed, disk };
  return machine.cd && { system: machine.cd };
}

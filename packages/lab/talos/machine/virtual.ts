import { readImage, type TalosOnDisk } from "../../factory/image.ts";
import type { Lab } from "../../kernel/kernel.ts";
import { releaseOf } from "../../proxmox/release.ts";
import { hostNamed, type ProxmoxState, proxmoxState, type Resolver, type Vm, type Volume } from "../../proxmox/state.ts";
import { contentOf } from "../../proxmox/storage/volumes.ts";
import { parseBootOrder } from "../../proxmox/vm/boot-order.ts";
import { namesFor } from "../../proxmox/vm/cloud-init.ts";
import { cpusOf, memoryOf, nameOf } from "../../proxmox/vm/config.ts";
import { drivesOf, volumeOf } from "../../proxmox/vm/disks.ts";
import { type Drive, isCdrom, isCloudInit } from "../../proxmox/vm/drive.ts";
import { runningMachine } from "../../proxmox/vm/hardware.ts";
import { isNicKey, parseNic } from "../../proxmox/vm/nic.ts";
import type { Disk, Hardware, PciCard, PlatformNetwork, TalosState } from "../state.ts";
import { boots, firmwareOf } from "./firmware.ts";
import { volumeDisk } from "./volume-disk.ts";

/** A bootable medium. */
export interface Medium {
  system: TalosOnDisk;
  /** Absent for a CD. */
  disk?: string;
}

const BUSES = ["scsi", "sata", "ide", "virtio"];

interface Attached {
  key: string;
  drive: Drive;
  volume: Volume | undefined;
}

function attached(state: ProxmoxState, vm: Vm): Attached[] {
  const place = (key: string) => BUSES.findIndex((bus) => key.startsWith(bus)) * 100 + Number(/\d+$/.exec(key)?.[0]);
  return drivesOf(vm.config)
    .filter(({ key }) => BUSES.some((bus) => new RegExp(`^${bus}\\d+$`).test(key)))
    .sort((a, b) => place(a.key) - place(b.key))
    .map(({ key, drive }) => ({ key, drive, volume: volumeOf(state, vm.node, drive) }));
}

export function vmHardware(lab: Lab, vm: Vm): Hardware {
  const disks: Disk[] = [];
  const letters = { sd: 0, vd: 0, sr: 0 };
  const state = proxmoxState(lab);
  const running = runningMachine(vm.config.machine, releaseOf(state).machine);
  for (const { key, drive, volume } of attached(state, vm)) {
    if (!volume) continue;
    const cdrom = isCdrom(drive);
    const kind = cdrom ? "sr" : key.startsWith("virtio") ? "vd" : "sd";
    const n = letters[kind]++;
    disks.push({
      ...(!cdrom && { name: volumeDisk(volume.serial) }),
      device: cdrom ? `sr${n}` : `${kind}${String.fromCharCode(97 + n)}`,
      size: volume.size,
      model: kind === "vd" ? "" : cdrom ? "QEMU DVD-ROM" : "QEMU HARDDISK",
      transport: kind === "vd" ? "virtio" : key.startsWith("scsi") ? "virtio" : "sata",
      cdrom,
      ...identity(key, drive, running),
    });
  }
  return {
    uuid: /(?:^|,)uuid=([0-9a-f-]{36})/i.exec(vm.config.smbios1 ?? "")?.[1]?.toLowerCase() ?? "",
    manufacturer: "QEMU",
    product: vm.config.machine?.includes("q35") ? "Standard PC (Q35 + ICH9, 2009)" : "Standard PC (i440FX + PIIX, 1996)",
    cores: cpusOf(vm.config),
    memoryMiB: memoryOf(vm.config),
    disks,
    ...(vm.config.tpmstate0 !== undefined && { tpm: true as const }),
    pci: cardsOf(state, vm),
    links: Object.keys(vm.config)
      .filter(isNicKey)
      .sort((a, b) => Number(a.slice(3)) - Number(b.slice(3)))
      .map((key, index) => {
        const nic = parseNic(key, vm.config[key] as string);
        return {
          name: `eth${index}`,
          mac: (nic.macaddr ?? "").toLowerCase(),
          driver: nic.model === "virtio" ? "virtio_net" : "e1000",
        };
      }),
  };
}

/**
 * The ids of a drive in Linux and Talos. Talos shows no serial number of virtio disks (its issue 12073). A SCSI disk reports its WWN; its other id
 * is the serial number, and from machine 10.0 on always the drive's slot (qemu-server, DriveDevice.pm). udev creates links for both.
 */
function identity(key: string, drive: Drive, machine: string): Pick<Disk, "serial" | "wwid" | "links"> {
  // Stored percent-encoded.
  const serial = drive.serial === undefined ? undefined : decodeURIComponent(drive.serial);
  // Virtio truncates it to twenty characters.
  if (key.startsWith("virtio"))
    return { serial: "", wwid: "", links: serial === undefined ? [] : [`/dev/disk/by-id/virtio-${serial.slice(0, 20)}`] };
  if (!key.startsWith("scsi")) return { serial: serial ?? `drive-${key}` };
  const [, major = "0"] = /-(\d+)\.\d+/.exec(machine) ?? [];
  const id = serial === undefined || Number(major) >= 10 ? `drive-${key}` : serial;
  return {
    serial: "",
    wwid: drive.wwn === undefined ? `t10.QEMU    QEMU HARDDISK   ${id}` : `naa.${drive.wwn.slice(2).toLowerCase()}`,
    links: [`/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_${id}`],
  };
}

/** Cards behind the bridges of a q35 machine are numbered from bus 1 on, each with its own functions. */
function cardsOf(state: ProxmoxState, vm: Vm): PciCard[] {
  const host = hostNamed(state, vm.node);
  const given = (vm.power?.pci ?? []).flatMap((id) => host?.pci.find((device) => device.id === id) ?? []);
  const slots = [...new Set(given.map(({ id }) => id.split(".")[0] ?? ""))];
  return given.map(({ id, vendor, device, vendorName, deviceName, class: kind }) => {
    const [slot = "", part = "0"] = id.split(".");
    const bus = String(slots.indexOf(slot) + 1).padStart(2, "0");
    return {
      address: `0000:${bus}:00.${part}`,
      class: kind,
      vendor,
      device,
      ...(vendorName !== undefined && { vendorName }),
      ...(deviceName !== undefined && { deviceName }),
    };
  });
}

/**
 * The network on the cloud-init drive, which a nocloud image reads; other platforms, and `ip=dhcp`, configure nothing
 * (docs/facts/talos.md#nocloud).
 */
export function vmNetwork(vm: Vm, system: TalosOnDisk, resolver: Resolver = { servers: [] }): PlatformNetwork {
  const drive = drivesOf(vm.config).some((attached) => isCloudInit(attached.drive));
  if (system.platform !== "nocloud" || !drive) return { addresses: [], nameservers: [] };
  const written = vm.cloudInit ?? vm.config;
  const options = Object.fromEntries((written.ipconfig0 ?? "").split(",").map((part) => part.split("=", 2) as [string, string]));
  const gateway = options.gw ?? options.gw6;
  return {
    hostname: written.name ?? nameOf(vm),
    // Words such as "dhcp" and "auto" are not addresses.
    addresses: [options.ip ?? "", options.ip6 ?? ""].filter((one) => /^[\d.]+\/\d+$|^[\da-f]*:[\da-f:]*\/\d+$/i.test(one)),
    ...(gateway !== undefined && { gateway }),
    nameservers: namesFor(written, resolver).servers,
  };
}

/** The medium that the firmware boots; undefined when it finds no Talos. */
export function vmMedium(lab: Lab, talos: TalosState, vm: Vm): Medium | undefined {
  const state = proxmoxState(lab);
  const drives = attached(state, vm);
  const order = parseBootOrder(vm.config.boot);
  const firmware = firmwareOf(lab, vm);
  const candidates = order.flatMap((key) => drives.find((drive) => drive.key === key) ?? []);
  for (const { drive, volume } of candidates) {
    if (!volume) continue;
    const medium = isCdrom(drive) ? cdMedium(state, volume) : diskMedium(state, talos, volume);
    if (!medium || !boots(firmware, medium.system)) continue;
    // The CD halts when it finds an installed system (docs/facts/talos.md#metal-iso).
    if (medium.disk === undefined && drives.some((other) => other.volume && diskMedium(state, talos, other.volume)))
      return undefined;
    return medium;
  }
  return undefined;
}

function diskMedium(state: ProxmoxState, talos: TalosState, volume: Volume): Medium | undefined {
  const name = volumeDisk(volume.serial);
  const written = talos.disks[name];
  if (written) return written.system && { system: written.system, disk: name };
  const bytes = volume.content === "images" ? contentOf(state, volume) : undefined;
  const image = bytes && readImage(bytes);
  return image?.talos && image.format !== "iso" ? { system: image.talos, disk: name } : undefined;
}

function cdMedium(state: ProxmoxState, volume: Volume): Medium | undefined {
  const bytes = contentOf(state, volume);
  const image = bytes && readImage(bytes);
  return image?.talos && image.format === "iso" ? { system: image.talos } : undefined;
}

import { bootable, type TalosOnDisk } from "../factory/image.ts";
import type { Lab } from "../kernel/kernel.ts";
import { readDisk } from "./disk/blocks.ts";
import { holdsSystem } from "./disk/contents.ts";
import { signatureOf } from "./disk/signatures.ts";
import { partitionsOf, tableOf } from "./disk/table.ts";
import { type Linux, type Server, type ServerDisk, serverNamed, UP } from "./state.ts";
import { endProcesses } from "./system/host.ts";

/** For the service that plays Talos on a server: `{ server, on }`. */
export const RENTED_POWER = "rented.power";

/** From the firmware to a login, in virtual milliseconds. */
const LINUX_BOOT = 30_000;

/** Starts a server from its firmware, whatever it did before. */
export function start(lab: Lab, server: Server, bootMs = LINUX_BOOT): void {
  stop(lab, server);
  server.isOn = true;
  if (server.next) {
    server.login = server.next;
    delete server.next;
    lab.schedule(UP, bootMs, { server: server.name, boot: server.boot, runs: "rescue" });
  } else if (talosOn(server)) {
    server.runs = "talos";
    if (lab.handles(RENTED_POWER)) lab.schedule(RENTED_POWER, 0, { server: server.name, on: true });
  } else if (server.disks.some((disk) => holdsSystem(disk, (offset, length) => readDisk(disk, offset, length)))) {
    lab.schedule(UP, bootMs, { server: server.name, boot: server.boot, runs: "system" });
  }
}

export function stop(lab: Lab, server: Server): void {
  if (server.runs === "talos" && lab.handles(RENTED_POWER)) lab.schedule(RENTED_POWER, 0, { server: server.name, on: false });
  server.boot = lab.serial("rescue boot");
  server.isOn = false;
  server.runs = "nothing";
  delete server.linux;
  delete server.login;
  endProcesses(lab, server.name);
}

/** A Linux has come up, unless the server was switched meanwhile. */
export function up(lab: Lab, name: string, boot: number, runs: "rescue" | "system"): void {
  const server = serverNamed(lab, name);
  if (!server || server.boot !== boot) return;
  server.runs = runs;
  server.linux = freshLinux(server, runs);
}

/** The first disk a firmware could start Talos from. */
export function talosOn(server: Server): { disk: ServerDisk; system: TalosOnDisk } | undefined {
  for (const disk of server.disks) {
    const names = tableOf(disk)?.entries.map(({ name }) => name) ?? [];
    const system =
      names.includes("EFI") && names.includes("META") ? bootable((at, length) => readDisk(disk, at, length)) : undefined;
    if (system && starts(server, system)) return { disk, system };
  }
  return undefined;
}

/** Signed images need UEFI, and a firmware that asks for signatures starts nothing else. */
function starts({ arch, firmware, secureBoot }: Server, system: TalosOnDisk): boolean {
  if (system.arch !== arch) return false;
  return system.secureBoot ? firmware === "uefi" : !secureBoot;
}

/** What a Linux makes of the disks it finds. */
function freshLinux(server: Server, runs: "rescue" | "system"): Linux {
  const linux: Linux = { files: {}, folders: [], fifos: [], mounts: [], swaps: [], arrays: [], volumes: [] };
  for (const disk of server.disks) {
    for (const { device, offset } of partitionsOf(disk)) {
      const signature = signatureOf((at, length) => readDisk(disk, offset + at, length));
      if (signature?.type === "ext4" && signature.label === "cloudimg-rootfs") {
        if (runs === "system") linux.mounts.push({ device, at: "/" });
        else if (disk.mounted !== undefined) linux.mounts.push({ device, at: disk.mounted });
      }
      if (!disk.active) continue;
      if (signature?.type === "swap") linux.swaps.push(device);
      if (signature?.type === "LVM2_member") linux.volumes.push({ name: "vg0-root", on: device });
      if (signature?.type === "linux_raid_member") joinArray(linux, `md${signature.label?.split(":")[1] ?? 0}`, device);
    }
  }
  return linux;
}

function joinArray(linux: Linux, name: string, member: string): void {
  const known = linux.arrays.find((array) => array.name === name);
  if (known) known.members.push(member);
  else linux.arrays.push({ name, members: [member] });
}

import { ownCommand, typedEnvironment } from "@talosmith/lib/own-command.ts";
import type { Finding } from "../../engine/step.ts";
import { allDifferences, humanBytes } from "./compare.ts";
import { bytesOf, type Drive, dataDrive, drivesOf, storageOf, systemDrive, systemSlot, unusedVolumes } from "./fields/drives.ts";
import { cardsOf, isOurMac } from "./fields/network.ts";
import type { Machine, MachineSpec } from "./machine.ts";
import { isOn, readNetworkCard, readProperties } from "./property-string.ts";

const GIB = 1024 ** 3;

/** Findings about differences that are kept, with the reason. */
export function keptAsIs(spec: MachineSpec, machine: Machine): Finding[] {
  const { node } = spec;
  const { next } = machine.config;
  return [
    ...diskNotes(node.name, "disk", systemDrive(node, next), node.disk, node.storage),
    ...node.disks.flatMap((disk) => diskNotes(node.name, `disk ${disk.name}`, dataDrive(disk, next), disk.size, disk.storage)),
    ...placeNotes(spec, machine),
    ...moreThanWanted(spec, machine),
    ...systemDiskNotes(spec, machine),
    ...firmwareNotes(spec, machine),
    ...rootNotes(spec, machine),
  ];
}

function note(code: string, message: string, hint?: string): Finding {
  return { level: "warn", code, message, ...(hint !== undefined && { hint }) };
}

function diskNotes(name: string, path: string, drive: Drive | undefined, size: number, storage: string): Finding[] {
  const notes: Finding[] = [];
  const now = drive && bytesOf(drive);
  if (now !== undefined && now > size * GIB) {
    const is = humanBytes(now);
    notes.push(
      note(
        "DISK_LARGER",
        `${name}: ${path} is ${is}, config says ${humanBytes(size * GIB)}; kept (disks cannot shrink)`,
        `set ${path === "disk" ? "disk" : "its size"}: ${is.replace(" ", "")} in the config`,
      ),
    );
  }
  const on = drive && storageOf(drive);
  if (on !== undefined && on !== storage) {
    const disk = path === "disk" ? "its disk" : path;
    notes.push(note("DISK_ELSEWHERE", `${name}: ${disk} is on ${on}, config says ${storage}; kept (disks are not moved)`));
  }
  return notes;
}

function placeNotes({ node }: MachineSpec, machine: Machine): Finding[] {
  const { name, host, vmid } = node;
  const notes: Finding[] = [];
  if (vmid !== undefined && vmid !== machine.vmid) {
    notes.push(
      note(
        "OTHER_ID",
        `${name}: is VM ${machine.vmid}, config says ${vmid}; kept (an id cannot be changed)`,
        `set vmid: ${machine.vmid} in the config`,
      ),
    );
  }
  if (host !== undefined && host !== machine.host) {
    notes.push(note("MIGRATED", `${name}: runs on ${machine.host}, config says ${host}; kept there (it was migrated)`));
  }
  return notes;
}

/** Disks and cards that are not in the config, which are kept. */
function moreThanWanted(spec: MachineSpec, { config: { next } }: Machine): Finding[] {
  const { node } = spec;
  const disks = new Set([systemSlot(node), ...node.disks.flatMap((disk) => dataDrive(disk, next)?.slot ?? [])]);
  const cards = new Set(cardsOf(spec).map(({ option }) => option));
  const moreDisks = drivesOf(next).filter(({ slot }) => !disks.has(slot));
  // A card with a derived MAC is a change, not a note.
  const moreCards = Object.entries(next).filter(
    ([option, value]) => /^net\d+$/.test(option) && !cards.has(option) && !isOurMac(spec, readNetworkCard(value).mac),
  );
  const lacksDisk = node.disks.some((disk) => !dataDrive(disk, next)) || (node.tpm && next.tpmstate0 === undefined);
  return [
    ...moreDisks.map(({ slot, value }) =>
      note("DISK_EXTRA", `${node.name}: has a disk that is not in the config (${slot}, ${value.file}); kept`),
    ),
    ...moreCards.map(([option, value]) =>
      note(
        "CARD_EXTRA",
        `${node.name}: has a network card that is not in the config (${option}, ${readNetworkCard(value).mac}); kept`,
      ),
    ),
    ...(lacksDisk
      ? unusedVolumes(next).map((volume) =>
          note(
            "DISK_UNUSED",
            `${node.name}: ${volume} was detached and still exists; kept`,
            "attach it again in the Proxmox UI, with the disk's serial, if you need the data on it",
          ),
        )
      : []),
  ];
}

/** Notes about a detached system disk. When several volumes are detached, only the user can say which one it was. */
function systemDiskNotes({ node }: MachineSpec, { vmid, host, config: { next } }: Machine): Finding[] {
  const volumes = unusedVolumes(next);
  if (systemDrive(node, next) || volumes.length === 1) return [];
  const message = `${node.name}: its system disk is detached`;
  if (volumes.length === 0)
    return [
      note(
        "SYSTEM_DISK_GONE",
        message,
        `remove VM ${vmid} on ${host} in the Proxmox UI; this creates the machine again:  ${ownCommand("up", typedEnvironment())}`,
      ),
    ];
  const ways = volumes.map((volume) => `  qm set ${vmid} --${systemSlot(node)} ${volume}`);
  return [
    note("SYSTEM_DISK_GONE", message, `as root on ${host}, the one of these that was the system disk:\n${ways.join("\n")}`),
  ];
}

function firmwareNotes({ node }: MachineSpec, { config: { next } }: Machine): Finding[] {
  const { name } = node;
  const notes: Finding[] = [];
  const efi = readProperties(next.efidisk0, "file");
  if (node.firmware === "ovmf" && efi.file !== undefined && isOn(efi["pre-enrolled-keys"])) {
    notes.push(
      note(
        "EFI_KEYS",
        `${name}: its EFI disk has Microsoft's keys enrolled, with which Talos does not boot; kept`,
        `remove the EFI disk in the Proxmox UI; this creates one without them:  ${ownCommand("up", typedEnvironment())}`,
      ),
    );
  }
  const version = readProperties(next.tpmstate0, "file").version;
  if (node.tpm && next.tpmstate0 !== undefined && version !== "v2.0") {
    notes.push(
      note(
        "TPM_VERSION",
        `${name}: its TPM is ${version ?? "v1.2"}, config wants v2.0; kept (a TPM's version cannot be changed)`,
      ),
    );
  }
  return notes;
}

function rootNotes(spec: MachineSpec, machine: Machine): Finding[] {
  return allDifferences(spec, machine)
    .filter((one) => one.kept)
    .map(({ field }) =>
      note(
        "ROOT_ONLY",
        `${spec.node.name}: ${field.path} is ${String(field.from)}, config says ${String(field.to)}; kept (Proxmox lets only root change it)`,
        `set it in the config, or as root on ${machine.host}:  qm set ${machine.vmid} --delete ${field.path}`,
      ),
    );
}

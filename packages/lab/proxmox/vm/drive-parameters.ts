import { ROOT } from "../access/acl.ts";
import { mayAt, requireAnyPrivilege, requirePrivileges, requireVmPrivileges } from "../access/permission.ts";
import { badParameters, died } from "../refusal.ts";
import type { ProxmoxState } from "../state.ts";
import { storageNamed } from "../storage/storages.ts";
import { parseVolumeId, parseVolumeName } from "../storage/volume-id.ts";
import { volumeContent } from "./disks.ts";
import { allocation, type Drive, isCdrom, isCloudInit, isDriveKey, parseDrive, printDrive } from "./drive.ts";

/** Checks requested drives in the order in which they are created, and rewrites each in the format that Proxmox stores. */
export function checkDrives(state: ProxmoxState, params: Record<string, string>): void {
  for (const key of Object.keys(params).filter(isDriveKey).sort()) {
    const drive = parseDrive(key, params[key] as string);
    checkImport(key, drive);
    const asked = allocation(drive);
    if (!asked && !isCloudInit(drive) && volumeContent(state, drive.file) === "iso" && drive.media !== "cdrom")
      throw badParameters({ [key]: "explicit 'media=cdrom' is required for iso images" });
    params[key] = printDrive(key, drive);
  }
}

function checkImport(key: string, drive: Drive): void {
  if (drive["import-from"] === undefined) return;
  if (allocation(drive)?.gibibytes !== 0)
    throw badParameters({ [key]: "'import-from' requires special syntax - use <storage ID>:0,import-from=<source>" });
  const needed = key === "efidisk0" ? ["efitype", "pre-enrolled-keys"] : key === "tpmstate0" ? ["version"] : [];
  for (const option of needed)
    if (drive[option] === undefined) throw badParameters({ [key]: `need to specify '${option}' when using 'import-from'` });
}

/** Checks that these volumes may be created or used (docs/facts/proxmox.md#privileges-per-option). */
export function requireStorageAccess(state: ProxmoxState, caller: string, vmid: number, params: Record<string, string>): void {
  for (const key of Object.keys(params).filter(isDriveKey).sort()) {
    const drive = parseDrive(key, params[key] as string);
    const asked = allocation(drive);
    if (drive.file === "cdrom") requirePrivileges(state, caller, "/", ["Sys.Console"]);
    else if (asked && !isCdrom(drive)) {
      requirePrivileges(state, caller, `/storage/${asked.storage}`, ["Datastore.AllocateSpace"]);
      if (!storageNamed(state, asked.storage).content.includes("images"))
        throw badParameters({ storage: `storage '${asked.storage}' does not support vm images` });
    } else if (drive.file !== "none" && !/(?:^|:)cloudinit$/.test(drive.file)) {
      requireVolumeAccess(state, caller, vmid, drive.file);
      const content = volumeContent(state, drive.file);
      if (content !== undefined && content !== "images" && content !== "iso")
        throw badParameters({ [key]: "content type needs to be 'images' or 'iso'" });
    }
    if (drive["import-from"] !== undefined) requireImportAccess(state, caller, vmid, key, drive["import-from"]);
  }
}

function requireImportAccess(state: ProxmoxState, caller: string, vmid: number, key: string, source: string): void {
  const id = parseVolumeId(source);
  if (id) {
    const { content, vmid: owner } = parseVolumeName(storageNamed(state, id.storage), id.name);
    if (content !== "images" && content !== "import")
      throw badParameters({ [key]: `${source} has wrong type '${content}' - needs to be 'images' or 'import'` });
    if (owner !== undefined) {
      requirePrivileges(state, caller, `/vms/${owner}`, ["VM.Clone"]);
      return;
    }
  }
  requireVolumeAccess(state, caller, vmid, source);
}

export function requireVolumeAccess(state: ProxmoxState, caller: string, vmid: number | undefined, volid: string): void {
  const id = parseVolumeId(volid);
  if (!id) {
    if (caller !== ROOT) throw died("Only root can pass arbitrary filesystem paths.");
    return;
  }
  const path = `/storage/${id.storage}`;
  const { content, vmid: owner } = parseVolumeName(storageNamed(state, id.storage), id.name);
  if (mayAt(state, caller, path, "Datastore.Allocate")) return;
  if (content === "iso" || content === "vztmpl" || content === "import") {
    requireAnyPrivilege(state, caller, path, ["Datastore.AllocateSpace", "Datastore.Audit"]);
    return;
  }
  if (owner !== undefined && owner === vmid) return;
  if (content !== "images" || owner === undefined) throw died(`missing privileges to access ${volid}`);
  requirePrivileges(state, caller, path, ["Datastore.Audit"]);
  requirePrivileges(state, caller, `/vms/${owner}`, ["VM.Config.Disk"]);
}

/** On an existing machine, drives need a privilege by their type. */
export function requireDriveRights(state: ProxmoxState, caller: string, vmid: number, drive: Drive): void {
  if (isCloudInit(drive)) requireVmPrivileges(state, caller, vmid, undefined, ["VM.Config.Cloudinit", "VM.Config.CDROM"]);
  else if (isCdrom(drive)) requireVmPrivileges(state, caller, vmid, undefined, ["VM.Config.CDROM"]);
  else requireVmPrivileges(state, caller, vmid, undefined, ["VM.Config.Disk"]);
}

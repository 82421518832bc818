import { durations } from "../durations.ts";
import type { Effect, Run, Step } from "../jobs/job.ts";
import { STORAGE_WAIT, storageLock } from "../jobs/lock.ts";
import { printSize } from "../parameters/sizes.ts";
import { died } from "../refusal.ts";
import type { StorageDefinition, Vm, Volume } from "../state.ts";
import { storageNamed, usableStorage } from "../storage/storages.ts";
import { findVolume, parseVolumeId, printVolumeId } from "../storage/volume-id.ts";
import { addVolume, freeDiskName, imageName, roundedSize } from "../storage/volumes.ts";
import { vmOn } from "./config.ts";
import { fillVolume, madeDrives } from "./disk-steps.ts";
import { printAttached, volumeOf } from "./disks.ts";
import { isCloudInit, parseDrive } from "./drive.ts";

/** What a guest wrote to a disk is copied with it, by whoever plays guests in this lab: {from, to}, serials of volumes. */
const DISK_COPIED = "disk.copied";

function tellCopied({ lab }: Run, from: Volume, to: Volume): void {
  if (lab.handles(DISK_COPIED)) lab.schedule(DISK_COPIED, 0, { from: from.serial, to: to.serial });
}

/** One disk of a machine, copied for another. */
export interface DiskCopy {
  vmid: number;
  newid: number;
  key: string;
  full: boolean;
  storage?: string;
  format?: string;
}

export function cloneDiskSteps(copy: DiskCopy, source: Vm): Step[] {
  const { file } = parseDrive(copy.key, source.config[copy.key] as string);
  const storage = copy.storage ?? parseVolumeId(file)?.storage ?? "";
  return [
    { say: `create ${copy.full ? "full" : "linked"} clone of drive ${copy.key} (${file})` },
    { lock: storageLock(storage), waitMs: STORAGE_WAIT },
    { after: copy.full ? durations.allocate : durations.linkedClone },
    { become: "disk.clone", with: { ...copy } },
    { unlock: storageLock(storage) },
  ];
}

const cloneDisk: Effect<DiskCopy> = (run, copy) => {
  const { state, job } = run;
  const drive = parseDrive(copy.key, vmOn(state, job.node, copy.vmid).config[copy.key] as string);
  const source = volumeOf(state, job.node, drive);
  if (!source) throw died(`volume ${drive.file} does not exist`);
  const storage = usableStorage(state, copy.storage ?? source.storage, job.node);
  const volume = isCloudInit(drive)
    ? cloudInitCopy(run, copy, storage, source)
    : copy.full
      ? emptyCopy(run, copy, storage, source)
      : linkedCopy(run, copy, storage, source);
  const volid = printVolumeId(volume);
  job.memo.drives = { ...madeDrives(run), [copy.key]: printAttached(copy.key, { ...drive, file: volid }, volume) };
  job.memo.made = [...((job.memo.made ?? []) as string[]), volid];
  if (isCloudInit(drive) || !copy.full) return [];
  return [
    { unlock: storageLock(storage.id) },
    { after: durations.fullClone(source.size) },
    { become: "disk.copied", with: { volid, from: printVolumeId(source) } },
    { say: `transferred ${printSize(source.size)} of ${printSize(source.size)} (100.00%)` },
  ];
};

function cloudInitCopy({ lab, job }: Run, copy: DiskCopy, storage: StorageDefinition, source: Volume): Volume {
  const format = storage.type === "lvmthin" ? "raw" : "qcow2";
  return addVolume(lab, storage, job.node, {
    name: imageName(storage, copy.newid, `vm-${copy.newid}-cloudinit`, format),
    content: "images",
    format,
    size: source.size,
    written: source.size,
    vmid: copy.newid,
  });
}

function emptyCopy({ lab, state, job }: Run, copy: DiskCopy, storage: StorageDefinition, source: Volume): Volume {
  const format = storage.type === "lvmthin" ? "raw" : (copy.format ?? source.format);
  if (storage.type === "lvmthin" && copy.format !== undefined && copy.format !== "raw")
    throw died(`unsupported format '${copy.format}'`);
  return addVolume(lab, storage, job.node, {
    name: freeDiskName(state, storage, job.node, copy.newid, format),
    content: "images",
    format,
    size: roundedSize(storage, source.size),
    written: 0,
    vmid: copy.newid,
  });
}

/** Shares its blocks with the base. A directory says so in the name, LVM does not (proxmox.md 3.3). */
function linkedCopy(run: Run, copy: DiskCopy, storage: StorageDefinition, source: Volume): Volume {
  const { lab, state, job } = run;
  const format = storage.type === "lvmthin" ? "raw" : "qcow2";
  const name = freeDiskName(state, storage, job.node, copy.newid, format);
  const volume = addVolume(lab, storage, job.node, {
    name: storage.type === "lvmthin" ? name : `${source.name}/${name}`,
    content: "images",
    format,
    size: source.size,
    written: 0,
    vmid: copy.newid,
    parent: source.name,
    ...(source.sha256 !== undefined && { sha256: source.sha256 }),
  });
  tellCopied(run, source, volume);
  return volume;
}

const copied: Effect<{ volid: string; from: string }> = (run, { volid, from }) => {
  const [volume, source] = [volid, from].map((text) => {
    const id = parseVolumeId(text);
    return id && findVolume(run.state, run.job.node, id);
  });
  if (!volume || !source) throw died(`volume ${volume ? from : volid} does not exist`);
  const written = source.parent === undefined ? source.used : source.size;
  fillVolume(run, storageNamed(run.state, volume.storage), volume, written, source.sha256);
  tellCopied(run, source, volume);
  return [];
};

export const cloneDiskEffects = { "disk.clone": cloneDisk, "disk.copied": copied };

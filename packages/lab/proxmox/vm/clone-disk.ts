import { durations } from "../durations.ts";
import type { Effect, JobStep, Run } from "../jobs/job.ts";
import { STORAGE_WAIT, storageLock } from "../jobs/lock.ts";
import { printSize } from "../parameters/sizes.ts";
import { died } from "../refusal.ts";
import type { ProxmoxState, StorageDefinition, Volume } from "../state.ts";
import { allocateImage, cloudInitImage } from "../storage/allocate.ts";
import { kindOf } from "../storage/kinds.ts";
import { storageNamed, usableStorage } from "../storage/storages.ts";
import { findVolume, parseVolumeId, printVolumeId } from "../storage/volume-id.ts";
import { addVolume, freeDiskName } from "../storage/volumes.ts";
import { fillVolume, fixedSize, madeDrives } from "./disk-steps.ts";
import { printAttached, tellCopied, volumeOf } from "./disks.ts";
import { isCloudInit, parseDrive } from "./drive.ts";

/** A copy of one disk for another machine. */
export interface DiskCopy {
  newid: number;
  key: string;
  /** The drive's value in the source's config. */
  value: string;
  full: boolean;
  storage?: string;
  format?: string;
  /** The snapshot to copy from. */
  snapname?: string;
}

export function cloneDiskSteps(state: ProxmoxState, copy: DiskCopy): JobStep[] {
  const { file } = parseDrive(copy.key, copy.value);
  const lock = storageLock(state, copy.storage ?? parseVolumeId(file)?.storage ?? "");
  return [
    { say: `create ${copy.full ? "full" : "linked"} clone of drive ${copy.key} (${file})` },
    { lock, waitMs: STORAGE_WAIT },
    { after: copy.full ? durations.allocate : durations.linkedClone },
    { become: "disk.clone", with: { ...copy } },
    { unlock: lock },
  ];
}

const cloneDisk: Effect<DiskCopy> = (run, copy) => {
  const { state, job } = run;
  const drive = parseDrive(copy.key, copy.value);
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
    { unlock: storageLock(state, storage.id) },
    { after: durations.fullClone(source.size) },
    {
      become: "disk.copied",
      with: { volid, from: printVolumeId(source), ...(copy.snapname !== undefined && { snapname: copy.snapname }) },
    },
    { say: `transferred ${printSize(source.size)} of ${printSize(source.size)} (100.00%)` },
  ];
};

function cloudInitCopy({ lab, job }: Run, copy: DiskCopy, storage: StorageDefinition, source: Volume): Volume {
  const { size } = source;
  const image = cloudInitImage(storage, copy.newid);
  return allocateImage(lab, storage, job.node, { ...image, vmid: copy.newid, bytes: size, written: size });
}

/** Creates an empty volume in the requested format, or that of the source, or of the storage. EFI variables keep their initial size. */
function emptyCopy(run: Run, copy: DiskCopy, storage: StorageDefinition, source: Volume): Volume {
  const { lab, job } = run;
  const { formats } = kindOf(storage);
  const format = formats.includes(copy.format ?? source.format) ? (copy.format ?? source.format) : (formats[0] as string);
  if (copy.format !== undefined && copy.format !== format)
    run.say(`format '${copy.format}' is not supported by the target storage '${storage.id}' - using '${format}' instead`);
  const fixed = fixedSize(copy.key, parseDrive(copy.key, copy.value));
  const bytes = fixed ?? source.snapshots?.[copy.snapname ?? ""]?.size ?? source.size;
  const volume = allocateImage(lab, storage, job.node, { vmid: copy.newid, bytes, format });
  run.say(`allocated target volume '${printVolumeId(volume)}'`);
  return volume;
}

/**
 * Creates a volume that shares its blocks with the base. On storages that name the base, its name precedes the clone's
 * (docs/facts/proxmox.md#volume-names).
 */
function linkedCopy(run: Run, copy: DiskCopy, storage: StorageDefinition, source: Volume): Volume {
  const { lab, state, job } = run;
  const { files, namesBase } = kindOf(storage);
  const format = files && storage.type !== "btrfs" ? "qcow2" : "raw";
  const name = freeDiskName(state, storage, job.node, copy.newid, format);
  const then = copy.snapname === undefined ? undefined : source.snapshots?.[copy.snapname];
  const { size, sha256, serial } = then ?? source;
  const base = source.name
    .split("/")
    .slice(files ? -2 : -1)
    .join("/");
  const volume = addVolume(lab, storage, job.node, {
    name: namesBase && !then ? `${base}/${name}` : name,
    content: "images",
    format,
    size,
    written: 0,
    vmid: copy.newid,
    parent: source.name,
    ...(sha256 !== undefined && { sha256 }),
  });
  tellCopied(run, serial, volume.serial);
  return volume;
}

const copied: Effect<{ volid: string; from: string; snapname?: string }> = (run, { volid, from, snapname }) => {
  const [volume, source] = [volid, from].map((text) => {
    const id = parseVolumeId(text);
    return id && findVolume(run.state, run.job.node, id);
  });
  if (!volume || !source) throw died(`volume ${volume ? from : volid} does not exist`);
  const then = snapname === undefined ? undefined : source.snapshots?.[snapname];
  const { used, sha256, serial } = then ?? source;
  fillVolume(run, storageNamed(run.state, volume.storage), volume, source.parent === undefined ? used : source.size, sha256);
  tellCopied(run, serial, volume.serial);
  return [];
};

export const cloneDiskEffects = { "disk.clone": cloneDisk, "disk.copied": copied };

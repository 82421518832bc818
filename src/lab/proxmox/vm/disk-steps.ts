import type { Json } from "../../../lib/json.ts";
import { readImage } from "../../factory/image.ts";
import { durations } from "../durations.ts";
import type { Effect, Run, Step } from "../jobs/job.ts";
import { STORAGE_WAIT, storageLock } from "../jobs/lock.ts";
import { printSize } from "../parameters/sizes.ts";
import { died } from "../refusal.ts";
import type { StorageDefinition, Volume } from "../state.ts";
import { usableStorage, usageOf, volumePath } from "../storage/storages.ts";
import { findVolume, parseVolumeId, printVolumeId } from "../storage/volume-id.ts";
import { addVolume, contentOf, DEFAULT_FORMAT, freeDiskName, imageName, removeVolume, roundedSize } from "../storage/volumes.ts";
import { printAttached, volumeOf } from "./disks.ts";
import { allocation, type Drive, isCloudInit, isDriveKey, parseDrive } from "./drive.ts";

const GiB = 1024 ** 3;
const CLOUD_INIT_SIZE = 4 * 1024 ** 2;
const TPM_SIZE = 4 * 1024 ** 2;
/** Of the firmware's variables, by efitype. */
const EFI_SIZES: Record<string, number> = { "2m": 128 * 1024, "4m": 528 * 1024 };

interface Wanted {
  vmid: number;
  key: string;
  value: string;
}

/** Makes or finds the volumes of these drives, by key; what comes out is in the job's memo under `drives`. */
export function diskSteps(vmid: number, params: Readonly<Record<string, string>>): Step[] {
  return Object.keys(params)
    .filter(isDriveKey)
    .sort()
    .flatMap((key): Step[] => {
      const value = params[key] as string;
      const drive = parseDrive(key, value);
      const wanted: Json = { vmid, key, value };
      const storage = allocation(drive)?.storage ?? /^(.+):cloudinit$/.exec(drive.file)?.[1];
      if (storage === undefined) return [{ become: "disk.attach", with: wanted }];
      return [
        { lock: storageLock(storage), waitMs: STORAGE_WAIT },
        { after: isCloudInit(drive) ? durations.cloudInitDrive : durations.allocate },
        { become: isCloudInit(drive) ? "disk.cloudinit" : "disk.make", with: wanted },
        { unlock: storageLock(storage) },
      ];
    });
}

export function madeDrives(run: Run): Record<string, string> {
  return (run.job.memo.drives ?? {}) as Record<string, string>;
}

function made(run: Run, key: string, value: string, volume?: Volume): void {
  run.job.memo.drives = { ...madeDrives(run), [key]: value };
  if (volume) run.job.memo.made = [...((run.job.memo.made ?? []) as string[]), printVolumeId(volume)];
}

const make: Effect<Wanted> = (run, { vmid, key, value }) => {
  const { lab, state, job } = run;
  const drive = parseDrive(key, value);
  const asked = allocation(drive) as { storage: string; gibibytes: number };
  const storage = usableStorage(state, asked.storage, job.node);
  const source = drive["import-from"] === undefined ? undefined : importSource(run, drive["import-from"]);
  const format = drive.format ?? DEFAULT_FORMAT;
  if (storage.type === "lvmthin" && format !== "raw") throw died(`unsupported format '${format}'`);
  const bytes = source?.size ?? fixedSize(key, drive) ?? asked.gibibytes * GiB;
  const size = roundedSize(storage, bytes);
  const volume = addVolume(lab, storage, job.node, {
    name: freeDiskName(state, storage, job.node, vmid, format),
    content: "images",
    format,
    size,
    written: fixedSize(key, drive) === undefined ? 0 : size,
    vmid,
  });
  const enrolled = key === "efidisk0" && drive["pre-enrolled-keys"] === "1" && { "ms-cert": "2023k" };
  const stored = printAttached(key, { ...drive, ...enrolled, file: printVolumeId(volume) }, volume);
  made(run, key, stored, volume);
  const done: Step = { say: `${key}: successfully created disk '${stored}'` };
  if (!source) return [done];
  return [
    { unlock: storageLock(storage.id) },
    { say: `create full clone of drive (${drive["import-from"]})` },
    { after: durations.import(source.size) },
    {
      become: "disk.fill",
      with: { volume: printVolumeId(volume), ...(source.sha256 !== undefined && { sha256: source.sha256 }) },
    },
    { say: `transferred ${printSize(size)} of ${printSize(size)} (100.00%)` },
    done,
  ];
};

function fixedSize(key: string, drive: Drive): number | undefined {
  if (key === "efidisk0") return EFI_SIZES[drive.efitype ?? "2m"];
  return key === "tpmstate0" ? TPM_SIZE : undefined;
}

/** What is imported is as large as the disk inside the image, not as the file. */
function importSource({ state, job }: Run, source: string): { size: number; sha256?: string } {
  const id = parseVolumeId(source);
  const volume = id && findVolume(state, job.node, id);
  if (!volume) throw died(id ? `could not get file size of ${source}` : `could not get file size of '${source}'`);
  const bytes = contentOf(state, volume);
  const size = volume.content === "import" && bytes ? readImage(bytes).virtualSize : volume.size;
  return { size, ...(volume.sha256 !== undefined && { sha256: volume.sha256 }) };
}

/** The data has been written. */
export function fillVolume(
  run: Run,
  storage: StorageDefinition,
  volume: Volume,
  bytes: number,
  sha256: string | undefined,
): void {
  const more = bytes - volume.used;
  if (more > usageOf(run.state, storage, run.job.node).avail)
    throw died(`qemu-img: error while writing at byte 0: No space left on device (${volumePath(storage, volume)})`);
  volume.used = bytes;
  if (sha256 !== undefined) volume.sha256 = sha256;
}

const fill: Effect<{ volume: string; sha256?: string }> = (run, data) => {
  const id = parseVolumeId(data.volume);
  const volume = id && findVolume(run.state, run.job.node, id);
  if (!volume) throw died(`volume ${data.volume} does not exist`);
  fillVolume(run, usableStorage(run.state, volume.storage, run.job.node), volume, volume.size, data.sha256);
  return [];
};

/** A drive for cloud-init's files. One that is there already is used again, and shows its size (proxmox.md 6). */
const cloudInit: Effect<Wanted> = (run, { vmid, key, value }) => {
  const { lab, state, job } = run;
  const drive = parseDrive(key, value);
  const storage = usableStorage(state, drive.file.split(":")[0] ?? "", job.node);
  const format = storage.type === "lvmthin" ? "raw" : (drive.format ?? "qcow2");
  const name = imageName(storage, vmid, `vm-${vmid}-cloudinit`, format);
  const existing = findVolume(state, job.node, { storage: storage.id, name });
  const volume =
    existing ??
    addVolume(lab, storage, job.node, { name, content: "images", format, size: CLOUD_INIT_SIZE, written: CLOUD_INIT_SIZE, vmid });
  const stored = printAttached(key, { ...drive, file: printVolumeId(volume), media: "cdrom" }, existing);
  made(run, key, stored, existing ? undefined : volume);
  run.say(`${key}: successfully created disk '${stored}'`);
  return [];
};

/** A volume that exists already, a CD, or nothing. */
const attach: Effect<Wanted> = (run, { key, value }) => {
  const drive = parseDrive(key, value);
  if (drive.file === "none" || drive.file === "cdrom" || !parseVolumeId(drive.file)) {
    made(run, key, value);
    return [];
  }
  const volume = volumeOf(run.state, run.job.node, drive);
  if (!volume) throw died(`volume ${drive.file} does not exist`);
  made(run, key, printAttached(key, drive, volume));
  return [];
};

/** Frees what a job made before it failed. */
export const discardMade: Effect<Json> = ({ state, job }) => {
  for (const volid of (job.memo.made ?? []) as string[]) {
    const id = parseVolumeId(volid);
    const volume = id && findVolume(state, job.node, id);
    if (volume) removeVolume(state, volume);
  }
  return [];
};

export const diskEffects = {
  "disk.make": make,
  "disk.fill": fill,
  "disk.cloudinit": cloudInit,
  "disk.attach": attach,
  "disk.discard": discardMade,
};

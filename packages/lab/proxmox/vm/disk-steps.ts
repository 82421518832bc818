import type { Json } from "@talosmith/lib/json.ts";
import { readImage } from "../../factory/image.ts";
import { durations } from "../durations.ts";
import type { Effect, JobStep, Run } from "../jobs/job.ts";
import { configLock, IMPORT_WAIT, STORAGE_WAIT, storageLock } from "../jobs/lock.ts";
import { printSize } from "../parameters/sizes.ts";
import { died } from "../refusal.ts";
import { releaseOf } from "../release.ts";
import type { Content, ProxmoxState, StorageDefinition, Volume } from "../state.ts";
import { allocateImage, cloudInitImage } from "../storage/allocate.ts";
import { isThick, kindOf } from "../storage/kinds.ts";
import { storageNamed, usableStorage, usageOf, volumePath } from "../storage/storages.ts";
import { findVolume, parseVolumeId, parseVolumeName, printVolumeId, type VolumeId } from "../storage/volume-id.ts";
import { contentOf, removeVolume } from "../storage/volumes.ts";
import { printAttached, tellCopied, volumeOf } from "./disks.ts";
import { allocation, type Drive, isCloudInit, isDriveKey, parseDrive } from "./drive.ts";

const GiB = 1024 ** 3;
const CLOUD_INIT_SIZE = 4 * 1024 ** 2;
const TPM_SIZE = 4 * 1024 ** 2;
/** Sizes of EFI variables, by efitype. */
const EFI_SIZES: Record<string, number> = { "2m": 128 * 1024, "4m": 528 * 1024 };

interface DiskRequest {
  vmid: number;
  key: string;
  value: string;
}

/** Creates or finds the volumes of these drives, by key; the results are in the job's memo under `drives`. */
export function diskSteps(state: ProxmoxState, vmid: number, params: Readonly<Record<string, string>>): JobStep[] {
  return Object.keys(params)
    .filter(isDriveKey)
    .sort()
    .flatMap((key): JobStep[] => {
      const value = params[key] as string;
      const drive = parseDrive(key, value);
      const wanted: Json = { vmid, key, value };
      const storage = allocation(drive)?.storage ?? /^(.+):cloudinit$/.exec(drive.file)?.[1];
      if (storage === undefined) return [{ become: "disk.attach", with: wanted }];
      return [
        ...importLock(state, vmid, drive["import-from"]),
        { lock: storageLock(state, storage), waitMs: STORAGE_WAIT },
        { after: isCloudInit(drive) ? durations.cloudInitDrive : durations.allocate },
        { become: isCloudInit(drive) ? "disk.cloudinit" : "disk.make", with: wanted },
        { unlock: storageLock(state, storage) },
      ];
    });
}

/** Importing another machine's disk locks that machine, shared if it is off. */
function importLock(state: ProxmoxState, vmid: number, source: string | undefined): JobStep[] {
  const id = source === undefined ? undefined : parseVolumeId(source);
  const owner = id && parseVolumeName(storageNamed(state, id.storage), id.name).vmid;
  if (owner === undefined || owner === vmid) return [];
  return [{ lock: configLock(owner), waitMs: IMPORT_WAIT, ...(!state.vms[owner]?.power && { shared: true as const }) }];
}

export function madeDrives(run: Run): Record<string, string> {
  return (run.job.memo.drives ?? {}) as Record<string, string>;
}

function made(run: Run, key: string, value: string, volume?: Volume): void {
  run.job.memo.drives = { ...madeDrives(run), [key]: value };
  if (volume) run.job.memo.made = [...((run.job.memo.made ?? []) as string[]), printVolumeId(volume)];
}

const make: Effect<DiskRequest> = (run, { vmid, key, value }) => {
  const { lab, state, job } = run;
  const drive = parseDrive(key, value);
  const asked = allocation(drive) as { storage: string; gibibytes: number };
  const storage = usableStorage(state, asked.storage, job.node);
  const source = drive["import-from"] === undefined ? undefined : importSource(run, drive["import-from"]);
  const fixed = fixedSize(key, drive);
  const volume = allocateImage(lab, storage, job.node, {
    vmid,
    bytes: source?.size ?? fixed ?? asked.gibibytes * GiB,
    ...(drive.format !== undefined && { format: drive.format }),
    ...(fixed !== undefined && { written: fixed }),
  });
  const { size } = volume;
  if (state.vms[vmid]?.config.template === "1") makeBase(storage, volume);
  const marked = key === "efidisk0" && drive["pre-enrolled-keys"] === "1" && releaseOf(state).efiCertificate;
  const enrolled = marked && !source && { "ms-cert": "2023k" };
  const stored = printAttached(key, { ...drive, ...enrolled, file: printVolumeId(volume) }, volume);
  made(run, key, stored, volume);
  const done: JobStep = { say: `${key}: successfully created disk '${stored}'` };
  if (!source) return [done];
  return [
    { unlock: storageLock(state, storage.id) },
    { say: `create full clone of drive (${drive["import-from"]})` },
    { say: `allocated target volume '${printVolumeId(volume)}'` },
    { after: durations.import(source.size) },
    {
      become: "disk.fill",
      with: { volume: printVolumeId(volume), from: source.serial, ...(source.sha256 !== undefined && { sha256: source.sha256 }) },
    },
    { say: `transferred ${printSize(size)} of ${printSize(size)} (100.00%)` },
    done,
  ];
};

/** The fixed size of a disk for EFI variables or TPM state, whatever size was requested. */
export function fixedSize(key: string, drive: Drive): number | undefined {
  if (key === "efidisk0") return EFI_SIZES[drive.efitype ?? "2m"];
  return key === "tpmstate0" ? TPM_SIZE : undefined;
}

/** The source of an import: its size is that of the disk inside the image, not of the file. */
function importSource({ state, job }: Run, source: string): { size: number; serial: number; sha256?: string } {
  const id = parseVolumeId(source);
  const volume = id && findVolume(state, job.node, id);
  if (!volume)
    throw died(
      `failed to stat '${id ? volumePath(storageNamed(state, id.storage), { content: kindIn(state, id), name: id.name }) : source}'`,
    );
  const bytes = contentOf(state, volume);
  const size = volume.content === "import" && bytes ? readImage(bytes).virtualSize : volume.size;
  return { size, serial: volume.serial, ...(volume.sha256 !== undefined && { sha256: volume.sha256 }) };
}

function kindIn(state: ProxmoxState, { storage, name }: VolumeId): Content {
  return parseVolumeName(storageNamed(state, storage), name).content;
}

/** A volume created for a template is a base from the start. */
export function makeBase(storage: StorageDefinition, volume: Volume): void {
  if (!kindOf(storage).templates) throw died(`can't create base images in ${storage.type} storage`);
  volume.name = volume.name.replace(/(^|\/)vm-(\d+-[^/]*)$/, "$1base-$2");
}

/** Fills a volume with imported data. */
export function fillVolume(
  run: Run,
  storage: StorageDefinition,
  volume: Volume,
  bytes: number,
  sha256: string | undefined,
): void {
  const more = bytes - volume.used;
  if (more > usageOf(run.state, storage, run.job.node).avail) {
    run.say("qemu-img: error while writing at byte 0: No space left on device");
    const command = `/usr/bin/qemu-img convert -p -n -O ${volume.format} ${volumePath(storage, volume)}`;
    throw died(`copy failed: command '${command}' failed: exit code 1`);
  }
  volume.used = isThick(storage) ? volume.size : bytes;
  if (sha256 !== undefined) volume.sha256 = sha256;
}

const fill: Effect<{ volume: string; from: number; sha256?: string }> = (run, data) => {
  const id = parseVolumeId(data.volume);
  const volume = id && findVolume(run.state, run.job.node, id);
  if (!volume) throw died(`volume ${data.volume} does not exist`);
  fillVolume(run, usableStorage(run.state, volume.storage, run.job.node), volume, volume.size, data.sha256);
  tellCopied(run, data.from, volume.serial);
  return [];
};

/** Creates a cloud-init drive. An existing volume is reused, and its size shown (docs/facts/proxmox.md#property-strings). */
const cloudInit: Effect<DiskRequest> = (run, { vmid, key, value }) => {
  const { lab, state, job } = run;
  const drive = parseDrive(key, value);
  const storage = usableStorage(state, drive.file.split(":")[0] ?? "", job.node);
  const { name, format } = cloudInitImage(storage, vmid, drive.format);
  const existing = findVolume(state, job.node, { storage: storage.id, name: kindOf(storage).files ? `${vmid}/${name}` : name });
  const size = CLOUD_INIT_SIZE;
  const volume = existing ?? allocateImage(lab, storage, job.node, { vmid, bytes: size, name, format, written: size });
  const stored = printAttached(key, { ...drive, file: printVolumeId(volume), media: "cdrom" }, existing);
  made(run, key, stored, existing ? undefined : volume);
  run.say(`${key}: successfully created disk '${stored}'`);
  return [];
};

/** Attaches an existing volume, a CD, or nothing. */
const attach: Effect<DiskRequest> = (run, { key, value }) => {
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

/** Removes the volumes that a job created before it failed. */
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

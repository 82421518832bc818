import { createHash } from "node:crypto";
import type { Json } from "../../../lib/json.ts";
import { readImage } from "../../factory/image.ts";
import { durations } from "../durations.ts";
import type { Fetched } from "../jobs/fetching.ts";
import type { Effect, Run, Step } from "../jobs/job.ts";
import { died } from "../refusal.ts";
import type { UploadContent } from "./file-names.ts";
import { pathIn, storageNamed, volumePath, volumesOn } from "./storages.ts";
import { findVolume, parseVolumeName, printVolumeId, type VolumeId } from "./volume-id.ts";
import { addVolume, contentOf, keepContent, removeVolume } from "./volumes.ts";

/** A file on its way to a storage. */
export interface Arrival {
  storage: string;
  content: UploadContent;
  filename: string;
  url?: string;
  verify?: boolean;
  algorithm?: string;
  checksum?: string;
  compression?: string;
}

const DECOMPRESSORS = new Set(["gz", "lzo", "zst", "bz2"]);

/** download-url as a worker does it (proxmox.md 3.3). The file appears only at the end. */
export function downloadSteps(file: Arrival): Step[] {
  return [{ after: durations.config }, { become: "storage.download", with: asJson(file) }];
}

const beginDownload: Effect<Arrival> = (run, file) => {
  const { state, job } = run;
  const storage = storageNamed(state, file.storage);
  const path = pathIn(storage, file.content, file.filename);
  run.say(`downloading ${file.url} to ${path}`);
  if (file.compression !== undefined) {
    if (file.content !== "iso") throw died(`decompression not supported for ${file.content}`);
    if (!DECOMPRESSORS.has(file.compression)) throw died("no decompression method found");
  }
  const existing = volumesOn(state, storage, job.node).find((volume) => volume.name === `${file.content}/${file.filename}`);
  if (existing) {
    if (file.checksum === undefined) throw died(`refusing to override existing file '${path}'`);
    run.say("calculating checksum of existing file...");
    const got = digest(file, contentOf(state, existing) ?? Buffer.alloc(0));
    if (got !== file.checksum.toLowerCase()) throw died(`checksum mismatch: got '${got}' != expect '${file.checksum}', aborting`);
    run.say("OK, got correct file already, no need to download");
    return [];
  }
  return [{ fetch: { url: file.url ?? "", verify: file.verify !== false } }, { become: "storage.received", with: asJson(file) }];
};

const received: Effect<Arrival> = ({ job }, file) => {
  const fetched = job.memo.fetched as unknown as Fetched;
  if ("error" in fetched) throw died(`download failed: ${fetched.error}`);
  const bytes = Buffer.from(fetched.base64, "base64");
  return [
    { after: durations.download(Math.max(bytes.length, readImage(bytes).virtualSize)) },
    { become: "storage.downloaded", with: asJson(file) },
  ];
};

const downloaded: Effect<Arrival> = (run, file) => {
  const { base64 } = run.job.memo.fetched as { base64: string };
  const bytes = Buffer.from(base64, "base64");
  verifyChecksum(run, file, bytes);
  store(run, file, bytes);
  delete run.job.memo.fetched;
  const path = pathIn(storageNamed(run.state, file.storage), file.content, file.filename);
  run.say(`download of '${file.url}' to '${path}' finished`);
  return [];
};

/** An upload has arrived whole; a worker copies it to its place. Existing files are overwritten. */
export function uploadSteps(file: Arrival, temporary: string, bytes: Buffer): { steps: Step[]; memo: Record<string, Json> } {
  return {
    steps: [
      { say: `starting file import from: ${temporary}` },
      { after: durations.upload(bytes.length) },
      { become: "storage.uploaded", with: asJson(file) },
    ],
    memo: { upload: bytes.toString("base64") },
  };
}

const uploaded: Effect<Arrival> = (run, file) => {
  const bytes = Buffer.from(String(run.job.memo.upload), "base64");
  verifyChecksum(run, file, bytes);
  run.say(`target node: ${run.job.node}`);
  run.say(`target file: ${pathIn(storageNamed(run.state, file.storage), file.content, file.filename)}`);
  run.say(`file size is: ${bytes.length}`);
  store(run, file, bytes);
  delete run.job.memo.upload;
  run.say("finished file import successfully");
  return [];
};

function verifyChecksum(run: Run, file: Arrival, bytes: Buffer): void {
  if (file.checksum === undefined) return;
  run.say("calculating checksum...");
  const got = digest(file, bytes);
  if (got !== file.checksum.toLowerCase()) throw died(`checksum mismatch: got '${got}' != expect '${file.checksum}'`);
  run.say("OK, checksum verified");
}

function digest(file: Arrival, bytes: Buffer): string {
  return createHash(file.algorithm ?? "sha256")
    .update(bytes)
    .digest("hex");
}

function store({ lab, state, job }: Run, file: Arrival, bytes: Buffer): void {
  const format = /\.([a-z0-9]+)$/i.exec(file.filename)?.[1] ?? "";
  const image = readImage(bytes);
  if (file.content === "import" && format === "qcow2" && image.format !== "qcow2")
    throw died(`failed to verify file: '${file.filename}' is not in qcow2 format`);
  addVolume(lab, storageNamed(state, file.storage), job.node, {
    name: `${file.content}/${file.filename}`,
    content: file.content,
    format: file.content === "iso" ? "iso" : format,
    // An ISO stands for as many bytes as it says it has; other files are as long as they are.
    size: file.content === "iso" ? image.virtualSize : bytes.length,
    written: bytes.length,
    sha256: keepContent(state, bytes),
  });
}

const removed: Effect<VolumeId> = (run, id) => {
  const storage = storageNamed(run.state, id.storage);
  const volume = findVolume(run.state, run.job.node, id);
  const kind = parseVolumeName(storage, id.name);
  if (!volume && storage.type === "dir")
    throw died(
      `unable to remove volume '${printVolumeId(id)}': ${volumePath(storage, { ...kind, name: id.name })} does not exist`,
    );
  if (volume) removeVolume(run.state, volume);
  run.say(`Removed volume '${printVolumeId(id)}'`);
  return [];
};

/** Optional members that are absent must not be there at all: transitions and jobs are JSON. */
function asJson(file: Arrival): Json {
  return { ...file };
}

export const fileEffects = {
  "storage.download": beginDownload,
  "storage.received": received,
  "storage.downloaded": downloaded,
  "storage.uploaded": uploaded,
  "storage.removed": removed,
};

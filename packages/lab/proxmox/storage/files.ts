import { createHash } from "node:crypto";
import type { Json } from "@talosmith/lib/json.ts";
import { readImage } from "../../factory/image.ts";
import { durations } from "../durations.ts";
import type { Fetched } from "../jobs/fetching.ts";
import type { Effect, JobStep, Run } from "../jobs/job.ts";
import { died } from "../refusal.ts";
import { decompress, isDecompressor } from "./decompress.ts";
import type { UploadContent } from "./file-names.ts";
import { pathIn, storageNamed, usageOf, volumesOn } from "./storages.ts";
import { volumeEffects } from "./volume-effects.ts";
import { findVolume } from "./volume-id.ts";
import { addVolume, contentOf, keepContent, removeVolume } from "./volumes.ts";

/** A file to be stored. */
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

/** Downloads a file as a worker does (docs/facts/proxmox.md#download). The file appears only at the end. */
export function downloadSteps(file: Arrival): JobStep[] {
  return [{ after: durations.config }, { become: "storage.download", with: asJson(file) }];
}

const beginDownload: Effect<Arrival> = (run, file) => {
  const { state, job } = run;
  const storage = storageNamed(state, file.storage);
  const path = pathIn(storage, file.content, file.filename);
  run.say(`downloading ${file.url} to ${path}`);
  if (file.compression !== undefined) {
    if (file.content !== "iso") throw died(`decompression not supported for ${file.content}`);
    if (!isDecompressor(file.compression)) throw died("no decompression method found");
  }
  const existing = volumesOn(state, storage, job.node).find((volume) => volume.name === `${file.content}/${file.filename}`);
  if (existing) {
    if (file.checksum === undefined) throw died(`refusing to override existing file '${path}'`);
    const got = digest(file, contentOf(state, existing) ?? Buffer.alloc(0));
    const looked = "calculating checksum of existing file...";
    const right = got === file.checksum.toLowerCase();
    run.say(right ? `${looked}OK, got correct file already, no need to download` : looked);
    if (!right) throw died(`checksum mismatch: got '${got}' != expect '${file.checksum}', aborting`);
    return [];
  }
  return [{ fetch: { url: file.url ?? "", verify: file.verify !== false } }, { become: "storage.received", with: asJson(file) }];
};

const received: Effect<Arrival> = ({ state, job, say }, file) => {
  const fetched = job.memo.fetched as unknown as Fetched;
  if ("error" in fetched) {
    for (const line of fetched.log) say(line);
    throw died(`download failed: ${fetched.error}`);
  }
  const bytes = Buffer.from(fetched.base64, "base64");
  const storage = storageNamed(state, file.storage);
  if (bytes.length > usageOf(state, storage, job.node).avail)
    throw died(
      `download failed: Cannot write to '${pathIn(storage, file.content, file.filename)}.tmp_dwnl' (No space left on device).`,
    );
  return [
    { after: durations.download(Math.max(bytes.length, readImage(bytes).virtualSize)) },
    { become: "storage.downloaded", with: asJson(file) },
  ];
};

const downloaded: Effect<Arrival> = (run, file) => {
  const { base64 } = run.job.memo.fetched as { base64: string };
  const received = Buffer.from(base64, "base64");
  verifyChecksum(run, file, received);
  const path = pathIn(storageNamed(run.state, file.storage), file.content, file.filename);
  if (file.compression !== undefined) run.say(`decompressing ${path}.tmp_dwnl to ${path}.tmp_dcom`);
  const bytes = file.compression === undefined ? received : decompress(received, file.compression, `${path}.tmp_dwnl`);
  if (!isWhatItsNameSays(file, bytes)) throw died("failed to verify file: failed to query file information with qemu-img");
  store(run, file, bytes);
  delete run.job.memo.fetched;
  run.say(`download of '${file.url}' to '${path}' finished`);
  return [];
};

/**
 * The steps after an upload has arrived: a worker copies it to its destination. Existing files are overwritten, and a partial file exists
 * meanwhile: a host that loses power then leaves it behind.
 */
export function uploadSteps(file: Arrival, temporary: string, bytes: Buffer): { steps: JobStep[]; memo: Record<string, Json> } {
  return {
    steps: [
      { say: `starting file import from: ${temporary}` },
      { after: durations.upload(bytes.length) / 2 },
      { become: "storage.copying", with: asJson(file) },
      { say: `command: cp -- ${temporary} ${file.filename}` },
      { after: durations.upload(bytes.length) / 2 },
      { become: "storage.uploaded", with: asJson(file) },
    ],
    memo: { upload: bytes.toString("base64") },
  };
}

const copying: Effect<Arrival> = (run, file) => {
  const bytes = Buffer.from(String(run.job.memo.upload), "base64");
  verifyChecksum(run, file, bytes);
  if (!isWhatItsNameSays(file, bytes)) throw died("failed to query file information with qemu-img");
  run.say(`target node: ${run.job.node}`);
  run.say(`target file: ${pathIn(storageNamed(run.state, file.storage), file.content, file.filename)}`);
  run.say(`file size is: ${bytes.length}`);
  const storage = storageNamed(run.state, file.storage);
  if (bytes.length > usageOf(run.state, storage, run.job.node).avail)
    throw died(`import failed: cp: error writing '${pathIn(storage, file.content, file.filename)}': No space left on device`);
  store(run, file, bytes.subarray(0, Math.floor(bytes.length / 2)));
  run.job.undo = [{ become: "storage.torn", with: asJson(file) }];
  return [];
};

const torn: Effect<Arrival> = ({ state, job }, { storage, content, filename }) => {
  const volume = findVolume(state, job.node, { storage, name: `${content}/${filename}` });
  if (volume) removeVolume(state, volume);
  return [];
};

const uploaded: Effect<Arrival> = (run, file) => {
  store(run, file, Buffer.from(String(run.job.memo.upload), "base64"));
  delete run.job.memo.upload;
  run.say("finished file import successfully");
  return [];
};

function verifyChecksum(run: Run, file: Arrival, bytes: Buffer): void {
  if (file.checksum === undefined) return;
  const got = digest(file, bytes);
  const right = got === file.checksum.toLowerCase();
  run.say(right ? "calculating checksum...OK, checksum verified" : "calculating checksum...");
  if (!right) throw died(`checksum mismatch: got '${got}' != expect '${file.checksum}'`);
}

function isWhatItsNameSays(file: Arrival, bytes: Buffer): boolean {
  return file.content !== "import" || !file.filename.endsWith(".qcow2") || readImage(bytes).format === "qcow2";
}

function digest(file: Arrival, bytes: Buffer): string {
  return createHash(file.algorithm ?? "sha256")
    .update(bytes)
    .digest("hex");
}

function store({ lab, state, job }: Run, file: Arrival, bytes: Buffer): void {
  const format = /\.([a-z0-9]+)$/i.exec(file.filename)?.[1] ?? "";
  const image = readImage(bytes);
  addVolume(lab, storageNamed(state, file.storage), job.node, {
    name: `${file.content}/${file.filename}`,
    content: file.content,
    format: file.content === "iso" ? "iso" : format,
    // An ISO of the lab has the size that it represents; other files have their own length.
    size: file.content === "iso" && image.talos ? image.virtualSize : bytes.length,
    written: bytes.length,
    sha256: keepContent(state, bytes),
  });
}

/** The file without absent optional members: transitions and jobs must be JSON. */
function asJson(file: Arrival): Json {
  return { ...file };
}

export const fileEffects = {
  ...volumeEffects,
  "storage.download": beginDownload,
  "storage.received": received,
  "storage.downloaded": downloaded,
  "storage.copying": copying,
  "storage.torn": torn,
  "storage.uploaded": uploaded,
};

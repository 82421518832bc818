import { createHash } from "node:crypto";
import { dirname, join, relative } from "node:path";
import { userError } from "@talosmith/lib/errors.ts";
import type { UnpackedEntry } from "@talosmith/lib/tar/unpack.ts";
import type { Files } from "@talosmith/lib/world/world.ts";
import { configNames } from "../../config/spellings/spelling.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../folder.ts";
import { damaged } from "./archive.ts";
import { isPassing, type KeptFile, MANIFEST, OUTSIDE } from "./contents.ts";
import { type Manifest, parseManifest } from "./manifest.ts";

export interface Unpacked {
  /** The environment's folder: the target folder, or the only folder in it. */
  root: string;
  files: KeptFile[];
  /** Absent for an archive that backup did not create; then nothing can be compared. */
  manifest?: Manifest;
  /** The time of its creation, or of its newest file. */
  atMs: number;
}

/** Unpacks durably into a new folder, and verifies it. The caller removes the folder when it throws. */
export async function unpackInto(files: Files, folder: string, entries: AsyncIterable<UnpackedEntry>): Promise<Unpacked> {
  const seen: KeptFile[] = [];
  files.makeFolder(folder, PRIVATE_FOLDER);
  const folders = new Set([folder]);
  const make = (path: string) => {
    if (folders.has(path)) return;
    make(dirname(path));
    files.makeFolder(path, PRIVATE_FOLDER);
    folders.add(path);
  };
  for await (const { name, kind, mode, modifiedMs, content } of entries) {
    const path = join(folder, name);
    make(kind === "folder" ? path : dirname(path));
    if (kind === "folder") continue;
    seen.push({ path: name, mode, modifiedMs, ...(await writeFile(files, path, content())) });
  }
  const root = rootOf(files, folder, seen);
  const inRoot = seen.map((file) => ({ ...file, path: relative(root, join(folder, file.path)) }));
  const manifest = takeManifest(files, root);
  const kept = inRoot.filter(({ path }) => !isDropped(path));
  for (const { path } of inRoot) if (isDropped(path)) files.remove(join(root, path));
  if (manifest) compare(manifest, kept);
  for (const path of folders) files.syncFolder(path);
  const atMs = manifest ? Date.parse(manifest.at) : Math.max(0, ...kept.map(({ modifiedMs }) => modifiedMs));
  return { root, files: kept, atMs, ...(manifest && { manifest }) };
}

/** A lock or a lab, which belongs to the original computer. */
function isDropped(path: string): boolean {
  if (path.startsWith(`${OUTSIDE}/`)) return false;
  return path.split("/").some((_, at, parts) => isPassing(parts.slice(0, at + 1).join("/")));
}

/** Readable by the owner only: permissions in an archive mean nothing on this computer. */
async function writeFile(files: Files, path: string, content: AsyncIterable<Uint8Array>) {
  const hash = createHash("sha256");
  let size = 0;
  files.create(path, new Uint8Array(), PRIVATE_FILE);
  for await (const part of content) {
    files.append(path, part, PRIVATE_FILE);
    hash.update(part);
    size += part.length;
  }
  files.sync(path);
  return { size, sha256: hash.digest("hex") };
}

function rootOf(files: Files, folder: string, seen: readonly KeptFile[]): string {
  const isEnvironment = (path: string) => configNames(files, path).length > 0 || files.stat(join(path, MANIFEST)) !== undefined;
  if (isEnvironment(folder)) return folder;
  const [top, ...others] = new Set(seen.map(({ path }) => path.replace(/\/.*/s, "")));
  if (top !== undefined && others.length === 0 && isEnvironment(join(folder, top))) return join(folder, top);
  throw userError("NO_BACKUP_IN_IT", {
    message: "The archive contains no environment: there is no config.yaml at its top level or in its only folder",
    hint: "check that it is the right archive. Nothing was changed.",
  });
}

function takeManifest(files: Files, root: string): Manifest | undefined {
  const text = files.read(join(root, MANIFEST));
  return text && parseManifest(Buffer.from(text).toString("utf8"));
}

/** Requires exactly the files of the list, unchanged. */
function compare(manifest: Manifest, files: readonly KeptFile[]): void {
  const named = new Map(Object.entries(manifest.files));
  for (const { path, sha256, size, mode } of files) {
    const file = named.get(path);
    if (file === undefined) throw damaged(`${path} is not in the backup's list of files`);
    if (file.sha256 !== sha256 || file.size !== size) throw damaged(`${path} differs from the backup's list of files`);
    if (file.mode !== mode) throw damaged(`${path} has a different mode than in the backup's list of files`);
    named.delete(path);
  }
  for (const path of named.keys()) throw damaged(`${path} is in the backup's list of files, but not in the backup`);
}

import { userError } from "@talosmith/lib/errors.ts";

/** The manifest of an archive, its first file. */
export interface Manifest {
  format: 1;
  /** "talosmith 0.1.0" */
  madeBy: string;
  cluster: string;
  /** The environment's id; absent while it has no secrets.yaml. */
  environment?: string;
  at: string;
  holdsNot: string[];
  /** By path. */
  files: Record<string, ManifestFile>;
  /** Files from outside the folder: path in the archive → original location. */
  outside: Record<string, string>;
}

export interface ManifestFile {
  sha256: string;
  size: number;
  mode: number;
}

/** A note for every output about backups. */
export const NO_ETCD = "etcd data: the objects in the cluster are not in it";

export function printManifest(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

export function parseManifest(text: string): Manifest {
  const value = parsed(text);
  if (!isRecord(value)) throw unusable("it was not written by talosmith backup");
  if (value.format !== 1)
    throw userError("BACKUP_FORMAT", {
      message: "The backup was made by a newer talosmith",
      hint: `restore it with the version that made it: ${typeof value.madeBy === "string" ? value.madeBy.slice(0, 40) : "unknown"}`,
    });
  const { madeBy, cluster, at, environment, holdsNot, files, outside } = value;
  const texts = [madeBy, cluster, at].every((one) => typeof one === "string") && !Number.isNaN(Date.parse(String(at)));
  const lists = Array.isArray(holdsNot) && holdsNot.every((one) => typeof one === "string");
  const paths = isRecord(outside) && Object.values(outside).every((one) => typeof one === "string");
  if (!texts || !lists || !paths || !isRecord(files) || !Object.values(files).every(isFile))
    throw unusable("it was not written by talosmith backup");
  if (environment !== undefined && typeof environment !== "string") throw unusable("it was not written by talosmith backup");
  return value as unknown as Manifest;
}

function isFile(value: unknown): value is ManifestFile {
  return (
    isRecord(value) &&
    typeof value.sha256 === "string" &&
    /^[0-9a-f]{64}$/.test(value.sha256) &&
    Number.isSafeInteger(value.size) &&
    Number.isSafeInteger(value.mode)
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unusable(why: string): Error {
  return userError("BACKUP_DAMAGED", {
    message: `Unable to read the backup's list of files: ${why}`,
    hint: "use another copy of the backup",
  });
}

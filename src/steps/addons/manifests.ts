import { createHash } from "node:crypto";
import { remoteError, type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import { download } from "@talosmith/lib/http/download.ts";
import { parseAllDocuments } from "yaml";
import type { AgeKeyPart, DownloadPart, Manifest, ObjectsPart } from "../../catalog/addons/addon.ts";
import { known, type Read } from "../../engine/step.ts";
import type { Environment } from "../../environment/environment.ts";
import { paths } from "../../environment/folder.ts";
import { ageKey } from "../generate/age-key.ts";

export type ObjectsLikePart = ObjectsPart | DownloadPart | AgeKeyPart;

/** The source of a part's objects. A file is downloaded once per command. */
export type Source = (c: Read) => Promise<readonly Manifest[]>;

const LARGEST = 16 * 1024 * 1024;

export function sourceOf(env: Environment, part: ObjectsLikePart): Source {
  switch (part.kind) {
    case "objects":
      return async () => part.objects.map(tidied);
    case "age-key":
      return async (c) => [ageSecret(env, part, c)];
    case "download": {
      let fetched: readonly Manifest[] | undefined;
      return async (c) => {
        fetched ??= await c.shared(`download ${part.url}`, () => fetchManifests(part, c));
        return fetched;
      };
    }
  }
}

function ageSecret(env: Environment, { secret: { namespace, name, key } }: AgeKeyPart, c: Read): Manifest {
  known(c, ageKey);
  const file = c.world.files.read(paths.ageKey(env.folder)) ?? new Uint8Array();
  const data = { [key]: Buffer.from(file).toString("base64") };
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, type: "Opaque", data };
}

async function fetchManifests({ url, sha256 }: DownloadPart, c: Read): Promise<Manifest[]> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const take = (part: Uint8Array) => {
    size += part.length;
    if (size > LARGEST) throw tooLarge(url);
    parts.push(part);
  };
  await download(c.world, { url, trust: { by: "system" }, take, signal: c.signal, meter: { calls: 0, bytes: 0 } });
  const content = Buffer.concat(parts);
  const hash = createHash("sha256").update(content).digest("hex");
  if (sha256 !== undefined && sha256.toLowerCase() !== hash) throw otherHash(url, sha256, hash);
  return manifestsIn(content.toString("utf8"), url);
}

/** All objects of a multi-document file; lists are expanded. */
function manifestsIn(text: string, url: string): Manifest[] {
  const documents = parseAllDocuments(text, { prettyErrors: false, logLevel: "silent", merge: true });
  return [...documents].flatMap((document) => {
    const [error] = document.errors;
    if (error) throw noManifest(url, error.message);
    const content: unknown = document.toJS({ maxAliasCount: 10_000 });
    return content === null || content === undefined ? [] : objectsOf(content, url);
  });
}

function objectsOf(content: unknown, url: string): Manifest[] {
  const { apiVersion, kind, metadata, items } = content as Partial<Manifest> & { items?: unknown };
  if (kind?.endsWith("List") && Array.isArray(items)) return items.flatMap((item) => objectsOf(item, url));
  if (typeof apiVersion === "string" && typeof kind === "string" && typeof metadata?.name === "string")
    return [tidied(content as Manifest)];
  throw noManifest(url, "a document in it lacks apiVersion, kind or metadata.name");
}

/** The object in the server's format for comparison: texts of Secrets in base64. */
function tidied(manifest: Manifest): Manifest {
  if (manifest.kind !== "Secret") return manifest;
  const { stringData, data, ...rest } = manifest as Manifest & {
    stringData?: Record<string, string>;
    data?: Record<string, string>;
  };
  const texts = Object.entries(stringData ?? {}).map(([key, text]) => [key, Buffer.from(text).toString("base64")] as const);
  return { ...rest, data: { ...data, ...Object.fromEntries(texts) } } as Manifest;
}

function tooLarge(url: string): TalosmithError {
  return userError("MANIFEST_TOO_LARGE", {
    message: `Unable to use ${url}: it is larger than ${LARGEST / 1024 / 1024} MiB`,
    hint: "check that it is a file of Kubernetes objects",
  });
}

function otherHash(url: string, wanted: string, hash: string): TalosmithError {
  return userError("MANIFEST_CHANGED", {
    message: `Unable to use ${url}: its checksum differs from the one in the config`,
    detail: `its SHA-256 is ${hash}, the config says ${wanted}`,
    hint: "review the file as it is now; if you want it, put its sha256 into the config",
  });
}

function noManifest(url: string, why: string): TalosmithError {
  return remoteError("MANIFEST_UNREADABLE", {
    message: `Unable to read ${url} as Kubernetes objects`,
    detail: why,
    hint: "check that the URL is that of the file itself, not of a web page about it",
  });
}

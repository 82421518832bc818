import { remoteError } from "@talosmith/lib/errors.ts";
import type { Patience, ProxmoxClient } from "./client.ts";
import { flag, list, number, requiredText, text, words } from "./loose.ts";
import type { UploadFile } from "./upload.ts";

export interface StorageSummary {
  name: string;
  /** "dir", "lvmthin", … */
  type: string;
  content: string[];
  active: boolean;
  /** Whether all hosts see the same content. */
  shared: boolean;
  totalBytes: number;
  freeBytes: number;
}

/** A disk, an image or another file on a storage. */
export interface Volume {
  /** "local:import/talos.qcow2" */
  id: string;
  sizeBytes: number;
  /** The VM whose disk it is. */
  vmid?: number;
}

/** The content type that Proxmox stores a file as. */
export type FileContent = "import" | "iso";

const at = (host: string, storage: string) => `/nodes/${host}/storage/${storage}`;

/** GET /nodes/{node}/storage */
export async function storages(client: ProxmoxClient, host: string, signal?: AbortSignal): Promise<StorageSummary[]> {
  const items = list(await client.get(`/nodes/${host}/storage`, {}, signal), `the storages of ${host}`);
  return items
    .map((item) => ({
      name: requiredText(item.storage, "a storage's name"),
      type: text(item.type) ?? "",
      content: words(item.content).sort(),
      active: flag(item.active),
      shared: flag(item.shared),
      totalBytes: number(item.total) ?? 0,
      freeBytes: number(item.avail) ?? 0,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** GET /nodes/{node}/storage/{storage}/content: of one kind; volumes that the login may not see are missing without an error. */
export async function volumes(
  client: ProxmoxClient,
  host: string,
  storage: string,
  content: FileContent | "images",
  signal?: AbortSignal,
): Promise<Volume[]> {
  const items = list(await client.get(`${at(host, storage)}/content`, { content }, signal), `the content of ${host}:${storage}`);
  return items.map((item) => {
    const vmid = number(item.vmid);
    return {
      id: requiredText(item.volid, "a volume's id"),
      sizeBytes: number(item.size) ?? 0,
      ...(vmid !== undefined && { vmid }),
    };
  });
}

export interface WantedFile {
  content: FileContent;
  filename: string;
  url: string;
  /** With it, an existing file is accepted if it matches, and a download is refused if it does not. */
  sha256?: string;
}

/** POST /nodes/{node}/storage/{storage}/download-url: the host downloads the file. Returns the task. */
export async function downloadUrl(
  client: ProxmoxClient,
  host: string,
  storage: string,
  { sha256, ...file }: WantedFile,
  patience?: Patience,
): Promise<string> {
  const checksum = sha256 === undefined ? {} : { checksum: sha256, "checksum-algorithm": "sha256" };
  return text(await client.post(`${at(host, storage)}/download-url`, { ...file, ...checksum }, patience)) ?? noTask("download");
}

/** POST /nodes/{node}/storage/{storage}/upload: replaces a file of the same name. Returns the task. */
export async function uploadFile(
  client: ProxmoxClient,
  host: string,
  storage: string,
  content: FileContent,
  file: UploadFile & { sha256: string },
  signal?: AbortSignal,
): Promise<string> {
  const fields = { content, "checksum-algorithm": "sha256", checksum: file.sha256 };
  return text(await client.upload(`${at(host, storage)}/upload`, fields, file, signal)) ?? noTask("upload");
}

/** POST /nodes/{node}/storage/{storage}/content: creates an empty disk of this name. Returns its id. */
export async function allocateDisk(
  client: ProxmoxClient,
  host: string,
  storage: string,
  disk: { vmid: number; filename: string; size: string; format?: string },
  patience?: Patience,
): Promise<string> {
  const id = text(await client.post(`${at(host, storage)}/content`, { ...disk }, patience));
  if (id !== undefined) return id;
  throw remoteError("PROXMOX_ANSWER", { message: `Unexpected response from Proxmox: no volume id for ${disk.filename}` });
}

/** DELETE /nodes/{node}/storage/{storage}/content/{volume}. Returns the task. */
export async function removeVolume(client: ProxmoxClient, host: string, id: string, patience?: Patience): Promise<string> {
  const storage = id.split(":")[0] ?? "";
  const path = `${at(host, storage)}/content/${encodeURIComponent(id)}`;
  return text(await client.delete(path, {}, patience)) ?? noTask("removal");
}

export function noTask(what: string): never {
  throw remoteError("PROXMOX_ANSWER", { message: `Unexpected response from Proxmox: no task for ${what}` });
}

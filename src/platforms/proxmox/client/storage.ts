import { remoteError } from "../../../lib/errors.ts";
import type { ProxmoxClient } from "./client.ts";
import { flag, list, number, requiredText, text, words } from "./loose.ts";

export interface StorageSummary {
  name: string;
  content: string[];
  active: boolean;
}

export interface Volume {
  id: string;
  sizeBytes: number;
}

/** GET /nodes/{node}/storage */
export async function storages(client: ProxmoxClient, host: string, signal?: AbortSignal): Promise<StorageSummary[]> {
  const items = list(await client.get(`/nodes/${host}/storage`, {}, signal), `the storages of ${host}`);
  return items
    .map((item) => ({
      name: requiredText(item.storage, "a storage's name"),
      content: words(item.content).sort(),
      active: flag(item.active),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** GET /nodes/{node}/storage/{storage}/content?content=import */
export async function importImages(
  client: ProxmoxClient,
  host: string,
  storage: string,
  signal?: AbortSignal,
): Promise<Volume[]> {
  const path = `/nodes/${host}/storage/${storage}/content`;
  const items = list(await client.get(path, { content: "import" }, signal), `the images on ${host}:${storage}`);
  return items.map((item) => ({ id: requiredText(item.volid, "a volume's id"), sizeBytes: number(item.size) ?? 0 }));
}

/** POST /nodes/{node}/storage/{storage}/download-url: the host fetches it. Answers with a task. */
export async function downloadUrl(
  client: ProxmoxClient,
  host: string,
  storage: string,
  url: string,
  filename: string,
): Promise<string> {
  const upid = text(await client.post(`/nodes/${host}/storage/${storage}/download-url`, { content: "import", filename, url }));
  return upid ?? noTask("download");
}

export function noTask(what: string): never {
  throw remoteError("PROXMOX_ANSWER", { message: `Unable to understand Proxmox: ${what} was accepted without a task` });
}

import { died } from "../refusal.ts";
import type { Content, ProxmoxState, StorageDefinition, Volume } from "../state.ts";
import { kindOf } from "./kinds.ts";

export function storageNamed(state: ProxmoxState, id: string): StorageDefinition {
  const found = state.storages.find((storage) => storage.id === id);
  if (!found) throw died(`storage '${id}' does not exist`);
  return found;
}

export function isOn(storage: StorageDefinition, node: string): boolean {
  return storage.nodes === undefined || storage.nodes.includes(node);
}

/** The storage, if it is usable on this host. */
export function usableStorage(state: ProxmoxState, id: string, node: string): StorageDefinition {
  const storage = storageNamed(state, id);
  if (storage.disabled) throw died(`storage '${id}' is disabled`);
  if (!isOn(storage, node)) throw died(`storage '${id}' is not available on node '${node}'`);
  if (storage.unreachable?.includes(node)) throw died(`storage '${id}' is not online`);
  return storage;
}

/** Whether its usage can be read on this host. */
export function isActive(storage: StorageDefinition, node: string): boolean {
  return !storage.disabled && isOn(storage, node) && !storage.unreachable?.includes(node);
}

/** The host of its volumes; "*" for a shared storage. */
export function placeOf(storage: StorageDefinition, node: string): string {
  return storage.shared ? "*" : node;
}

export function volumesOn(state: ProxmoxState, storage: StorageDefinition, node: string): Volume[] {
  const place = placeOf(storage, node);
  return state.volumes.filter((volume) => volume.storage === storage.id && volume.node === place);
}

export interface Usage {
  total: number;
  used: number;
  avail: number;
}

export function usageOf(state: ProxmoxState, storage: StorageDefinition, node: string): Usage {
  const { total, occupied } = storage.sizes?.[node] ?? storage;
  const used = volumesOn(state, storage, node).reduce((sum, volume) => sum + volume.used, occupied);
  return { total, used: Math.min(used, total), avail: Math.max(0, total - used) };
}

const FOLDERS: Record<Content, string> = {
  images: "images",
  rootdir: "private",
  iso: "template/iso",
  vztmpl: "template/cache",
  backup: "dump",
  import: "import",
  snippets: "snippets",
};

/** The path of a volume on the host. */
export function pathIn(storage: StorageDefinition, content: Content, file: string): string {
  if (kindOf(storage).files) return `${pathOf(storage)}/${FOLDERS[content]}/${file}`;
  if (storage.type === "zfspool") return `/dev/zvol/${storage.pool}/${file}`;
  return storage.type === "rbd" ? `rbd:${storage.pool}/${file}` : `/dev/${storage.vgname}/${file}`;
}

/** The volume name for the file at this path; undefined outside the storage. */
export function volumeNameAt(storage: StorageDefinition, path: string): string | undefined {
  for (const [content, folder] of Object.entries(FOLDERS)) {
    const start = `${pathOf(storage)}/${folder}/`;
    if (path.startsWith(start)) return content === "images" ? path.slice(start.length) : `${content}/${path.slice(start.length)}`;
  }
  return undefined;
}

/** The path of a storage; network storages are mounted below /mnt/pve by default. */
export function pathOf(storage: StorageDefinition): string {
  return storage.path ?? `/mnt/pve/${storage.id}`;
}

/** The path of a volume: "iso/talos.iso" is talos.iso in the folder for ISOs. */
export function volumePath(storage: StorageDefinition, volume: Pick<Volume, "content" | "name">): string {
  if (volume.content !== "images") return pathIn(storage, volume.content, fileOf(volume.name));
  const parts = volume.name.split("/");
  return pathIn(storage, "images", parts.slice(kindOf(storage).files ? -2 : -1).join("/"));
}

export function fileOf(name: string): string {
  return name.slice(name.indexOf("/") + 1);
}

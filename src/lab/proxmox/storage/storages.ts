import { died } from "../refusal.ts";
import type { Content, ProxmoxState, StorageDefinition, Volume } from "../state.ts";

export function storageNamed(state: ProxmoxState, id: string): StorageDefinition {
  const found = state.storages.find((storage) => storage.id === id);
  if (!found) throw died(`storage '${id}' does not exist`);
  return found;
}

export function isOn(storage: StorageDefinition, node: string): boolean {
  return storage.nodes === undefined || storage.nodes.includes(node);
}

/** The storage, if it can be used on this host. */
export function usableStorage(state: ProxmoxState, id: string, node: string): StorageDefinition {
  const storage = storageNamed(state, id);
  if (storage.disabled) throw died(`storage '${id}' is disabled`);
  if (!isOn(storage, node)) throw died(`storage '${id}' is not available on node '${node}'`);
  return storage;
}

/** Where its volumes are kept: shared ones are everywhere. */
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
  const used = volumesOn(state, storage, node).reduce((sum, volume) => sum + volume.used, storage.occupied);
  return { total: storage.total, used: Math.min(used, storage.total), avail: Math.max(0, storage.total - used) };
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

/** Where a file of this kind lies on the host. */
export function pathIn(storage: StorageDefinition, content: Content, file: string): string {
  if (storage.type === "lvmthin") return `/dev/${storage.vgname}/${file}`;
  return `${storage.path}/${FOLDERS[content]}/${file}`;
}

/** The file itself, from a volume: "iso/talos.iso" is talos.iso in the folder for ISOs. */
export function volumePath(storage: StorageDefinition, volume: Pick<Volume, "content" | "name">): string {
  const file = volume.content === "images" ? (volume.name.split("/").slice(-2).join("/") as string) : fileOf(volume.name);
  return pathIn(storage, volume.content, file);
}

export function fileOf(name: string): string {
  return name.slice(name.indexOf("/") + 1);
}

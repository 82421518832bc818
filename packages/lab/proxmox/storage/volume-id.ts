import { died } from "../refusal.ts";
import type { Content, ProxmoxState, StorageDefinition, Volume } from "../state.ts";
import { kindOf } from "./kinds.ts";
import { placeOf, storageNamed } from "./storages.ts";

export interface VolumeId {
  storage: string;
  name: string;
}

export function parseVolumeId(text: string): VolumeId | undefined {
  const [, storage = "", name = ""] = /^([a-z][a-z0-9\-_.]*[a-z0-9]):(.+)$/i.exec(text) ?? [];
  return storage === "" ? undefined : { storage, name };
}

export function printVolumeId(volume: VolumeId): string {
  return `${volume.storage}:${volume.name}`;
}

/** The properties that a volume's name encodes (docs/facts/proxmox.md#volume-names). */
export interface VolumeName {
  content: Content;
  format: string;
  vmid?: number;
  isBase: boolean;
  /** The base of a linked clone, where the storage includes it in the name. */
  base?: string;
}

const TEMPLATE_FORMATS: [RegExp, string][] = [
  [/\.tar\.gz$/, "tgz"],
  [/\.tar\.xz$/, "txz"],
  [/\.tar\.zst$/, "tzst"],
  [/\.tar\.bz2$/, "tbz2"],
  [/\.tar$/, "tar"],
];

export function parseVolumeName(storage: StorageDefinition, name: string): VolumeName {
  const { label, files } = kindOf(storage);
  const parsed = files ? parseFile(name) : parseBlockVolume(storage, name);
  if (parsed) return parsed;
  throw died(`unable to parse ${label} volume name '${name}'`);
}

/** Parses a block volume's name. ZFS and Ceph write the base of a linked clone before its name; a plain volume group has no bases. */
function parseBlockVolume({ type }: StorageDefinition, name: string): VolumeName | undefined {
  const [, base, kind, owner = ""] = /^(?:(base-\d+-[^\s/]+)\/)?(vm|base)-(\d+)-[^\s/]+$/.exec(name) ?? [];
  const isBase = kind === "base";
  if (kind === undefined || (base !== undefined && !kindOf({ type }).namesBase) || (isBase && type === "lvm")) return undefined;
  return { content: "images", format: "raw", vmid: Number(owner), isBase, ...(base !== undefined && { base }) };
}

function parseFile(name: string): VolumeName | undefined {
  const linked = /^(\d+\/base-\S+?\.(?:raw|qcow2|vmdk))\/((\d+)\/[^\s/]+\.(raw|qcow2|vmdk))$/.exec(name);
  if (linked)
    return { content: "images", format: linked[4] as string, vmid: Number(linked[3]), isBase: false, base: linked[1] as string };
  const image = /^(\d+)\/(base-)?[^\s/]+\.(raw|qcow2|vmdk)$/.exec(name);
  if (image) return { content: "images", format: image[3] as string, vmid: Number(image[1]), isBase: image[2] !== undefined };
  const [, folder, file = ""] = /^(iso|import|vztmpl|snippets|backup)\/([^/]+)$/.exec(name) ?? [];
  if (folder === "iso" && /\.(?:iso|img)$/i.test(file)) return { content: "iso", format: "iso", isBase: false };
  if (folder === "snippets") return { content: "snippets", format: "snippet", isBase: false };
  if (folder === "backup") return { content: "backup", format: file.split(".").slice(1).join("."), isBase: false };
  if (folder === "import") {
    const format = /\.(ova|qcow2|raw|vmdk)$/.exec(file)?.[1];
    return format === undefined ? undefined : { content: "import", format, isBase: false };
  }
  const format = TEMPLATE_FORMATS.find(([suffix]) => suffix.test(file))?.[1];
  return folder === "vztmpl" && format !== undefined ? { content: "vztmpl", format, isBase: false } : undefined;
}

/** The volume with this id as seen from a host; undefined when it does not exist. */
export function findVolume(state: ProxmoxState, node: string, id: VolumeId): Volume | undefined {
  const storage = storageNamed(state, id.storage);
  const place = placeOf(storage, node);
  const isIt = (volume: Volume) => volume.storage === id.storage && volume.node === place && volume.name === id.name;
  const key = `${place} ${id.storage}:${id.name}`;
  const byId = indexOf(state.volumes);
  const indexed = byId.get(key);
  // Volumes are renamed and moved in place, so a result of the index is checked.
  if (indexed && isIt(indexed)) return indexed;
  const volume = state.volumes.find(isIt);
  if (volume) byId.set(key, volume);
  return volume;
}

/** By the list, which is replaced whenever a volume is removed: a list of a thousand VMs looks for a thousand volumes. */
const indexes = new WeakMap<readonly Volume[], Map<string, Volume>>();

function indexOf(volumes: readonly Volume[]): Map<string, Volume> {
  const known = indexes.get(volumes);
  if (known) return known;
  const index = new Map(volumes.map((volume) => [`${volume.node} ${volume.storage}:${volume.name}`, volume]));
  indexes.set(volumes, index);
  return index;
}

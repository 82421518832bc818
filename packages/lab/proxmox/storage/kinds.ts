import type { Content, StorageDefinition, StorageType } from "../state.ts";

const MiB = 1024 ** 2;

/** The features and the naming of a type of storage: each plugin of pve-storage as a row. */
export interface StorageKind {
  /** Volumes are files below a path: it can hold ISOs and other files, and images in several formats. */
  files: boolean;
  /** Formats of images; the first is the default. */
  formats: readonly string[];
  /** Content types it supports. */
  contents: readonly Content[];
  /** Sizes are multiples of this many bytes. */
  unit: number;
  /** Its name in error messages: "unable to parse lvm volume name". */
  label: string;
  /** Supports templates, and clones that share their blocks. */
  templates: boolean;
  /** A linked clone's name contains its base; without that, a base can be deleted despite its clones. */
  namesBase: boolean;
  /** Formats that support snapshots. */
  snapshots: readonly string[];
  /** A network storage: the same volumes on all hosts. */
  shared: boolean;
}

const FILES: readonly Content[] = ["images", "rootdir", "iso", "vztmpl", "backup", "import", "snippets"];
const BLOCKS: readonly Content[] = ["images", "rootdir"];

const directory: StorageKind = {
  files: true,
  formats: ["raw", "qcow2", "subvol", "vmdk"],
  contents: FILES,
  unit: 1024,
  label: "directory",
  templates: true,
  namesBase: true,
  snapshots: ["qcow2"],
  shared: false,
};
const network: StorageKind = { ...directory, formats: ["raw", "qcow2", "vmdk"], shared: true };
const thin: StorageKind = {
  files: false,
  formats: ["raw"],
  contents: BLOCKS,
  unit: 4 * MiB,
  label: "lvm",
  templates: true,
  namesBase: false,
  snapshots: ["raw"],
  shared: false,
};

const KINDS: Record<StorageType, StorageKind> = {
  dir: directory,
  nfs: network,
  cifs: network,
  cephfs: { ...network, contents: ["iso", "vztmpl", "backup", "import", "snippets"] },
  btrfs: { ...directory, formats: ["raw", "subvol"], snapshots: ["raw"] },
  lvm: { ...thin, templates: false, snapshots: [] },
  lvmthin: thin,
  zfspool: { ...thin, formats: ["raw", "subvol"], unit: MiB, label: "zfs", namesBase: true },
  rbd: { ...thin, unit: MiB, label: "rbd", namesBase: true, shared: true },
};

export const STORAGE_TYPES: readonly string[] = Object.keys(KINDS);

export function kindOf(storage: Pick<StorageDefinition, "type">): StorageKind {
  return KINDS[storage.type];
}

/** Whether a new volume uses its whole size at once. */
export function isThick(storage: StorageDefinition): boolean {
  return storage.type === "lvm" || (storage.type === "zfspool" && !storage.sparse);
}

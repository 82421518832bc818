import type { Content, StorageDefinition, StorageType } from "../state.ts";

const MiB = 1024 ** 2;

/** What a type of storage can do and how it names things: pve-storage's plugins, each as a row. */
export interface StorageKind {
  /** Volumes are files below a path: it can hold ISOs and the like, and images in several formats. */
  files: boolean;
  /** Of images; the first is the default. */
  formats: readonly string[];
  /** What it can be used for. */
  contents: readonly Content[];
  /** Sizes are multiples of this many bytes. */
  unit: number;
  /** As its complaints about names say: "unable to parse lvm volume name". */
  label: string;
  /** Templates can be made of its volumes, and clones that share their blocks. */
  templates: boolean;
  /** The base is part of a linked clone's name; where it is not, a base can be removed under its clones. */
  namesBase: boolean;
  /** Formats that can be snapshotted. */
  snapshots: readonly string[];
  /** Reached over the network: the same volumes on all hosts. */
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

/** Whether a new volume takes its whole size at once. */
export function isThick(storage: StorageDefinition): boolean {
  return storage.type === "lvm" || (storage.type === "zfspool" && !storage.sparse);
}

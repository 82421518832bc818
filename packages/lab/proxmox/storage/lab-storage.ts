import type { Content, StorageDefinition, StorageType } from "../state.ts";
import { kindOf } from "./kinds.ts";

const GiB = 1024 ** 3;

/** A storage of a lab in addition to those of every installation. */
export interface LabStorage {
  id: string;
  type: StorageType;
  /** All supported content types when absent. */
  content?: readonly Content[];
  /** Available only on these hosts. */
  nodes?: readonly string[];
  /** Size on each host; of a shared storage, in total. */
  totalGiB?: number;
  /** Space in use, besides volumes. */
  usedGiB?: number;
  /** By host, where sizes differ. */
  sizes?: Readonly<Record<string, { readonly totalGiB: number; readonly usedGiB: number }>>;
  /** Hosts that cannot reach it. */
  unreachable?: readonly string[];
  /** A directory that is mounted on all hosts; network storages are always shared. */
  shared?: true;
  disabled?: true;
  sparse?: true;
}

export function labStorage(storage: LabStorage): StorageDefinition {
  const { id, type, content, nodes, totalGiB, usedGiB = 0, sizes, unreachable, shared, disabled, sparse } = storage;
  const bytes = (gib: number) => Math.round(gib * GiB);
  const kind = kindOf({ type });
  return {
    id,
    type,
    ...places(id, type),
    content: [...(content ?? kind.contents)],
    ...((shared || kind.shared) && { shared: true as const }),
    ...(nodes && { nodes: [...nodes] }),
    ...(disabled && { disabled }),
    ...(sparse && { sparse }),
    ...(unreachable && { unreachable: [...unreachable] }),
    total: bytes(totalGiB ?? 500),
    occupied: bytes(usedGiB),
    ...(sizes && {
      sizes: Object.fromEntries(
        Object.entries(sizes).map(([host, size]) => [host, { total: bytes(size.totalGiB), occupied: bytes(size.usedGiB) }]),
      ),
    }),
  };
}

/** The location settings of each type. */
function places(id: string, type: StorageType): Partial<StorageDefinition> {
  switch (type) {
    case "dir":
    case "btrfs":
      return { path: `/mnt/${id}` };
    case "nfs":
      return { server: "nas", export: `/export/${id}` };
    case "cifs":
      return { server: "nas", share: id };
    case "cephfs":
      return {};
    case "lvm":
      return { vgname: id };
    case "lvmthin":
      return { vgname: id, thinpool: "data" };
    default:
      return { pool: id };
  }
}

import { formatMiB } from "@talosmith/lib/units.ts";
import type { Change } from "./step.ts";

/** A volume that a change deletes, with its data. */
export interface Deletion {
  /** The node of its machine: "worker-1". */
  node: string;
  /** Where it is attached: "scsi5". */
  slot: string;
  /** "local-lvm:vm-20417-disk-1" */
  volume: string;
  /** Absent when its storage does not tell. */
  bytes?: number;
  /**
   * Set when talosmith did not create it: deleted only when the user names it (--destroy-disk NODE/SLOT). `move`: the commands that move it elsewhere,
   * as root on `host`.
   */
  foreign?: { host: string; move: readonly string[] };
}

/** The name of a disk for `--destroy-disk`: "worker-1/scsi5". */
export function diskName({ node, slot }: Pick<Deletion, "node" | "slot">): string {
  return `${node}/${slot}`;
}

export function sizeWords({ bytes }: Deletion): string {
  return bytes === undefined ? "size unknown" : formatMiB(Math.round(bytes / 1024 ** 2));
}

/** "worker-1/scsi5: local-lvm:vm-20417-disk-1, 10 GiB" */
export function deletionWords(one: Deletion): string {
  return `${diskName(one)}: ${one.volume}, ${sizeWords(one)}`;
}

/** A volume that would be deleted now although the plan did not list it. */
export function unlisted(listed: readonly Deletion[] = [], now: readonly Deletion[] = []): Deletion | undefined {
  return now.find(({ volume }) => !listed.some((one) => one.volume === volume));
}

/** All volumes that these changes delete. */
export function deletionsIn(changes: readonly Change[]): Deletion[] {
  return changes.flatMap(({ deletes = [] }) => deletes);
}

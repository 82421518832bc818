import type { ProxmoxPool } from "./draft.ts";

/** The user volumes that take a data disk each, by name; undefined for a disk that could not be read. */
export function userVolumes({ settings: { disks = [] } }: ProxmoxPool): (string | undefined)[] {
  return disks.flatMap((disk) => (disk === undefined ? [undefined] : disk.raw === true ? [] : (disk.volume ?? [])));
}

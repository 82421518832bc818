import { type GptEntry, type GptTable, gptBytes, readGpt, SECTOR } from "../../factory/gpt.ts";
import type { ServerDisk } from "../state.ts";
import { readDisk, writeDisk } from "./blocks.ts";

export interface Partition extends GptEntry {
  /** "sda1", "nvme0n1p1" */
  device: string;
  offset: number;
  bytes: number;
}

/** The table a kernel finds on a disk: the second one when the first is damaged. */
export function tableOf(disk: ServerDisk): GptTable | undefined {
  const read = (offset: number, length: number) => readDisk(disk, offset, length);
  return readGpt(read, 1) ?? readGpt(read, Math.floor(disk.bytes / SECTOR) - 1);
}

export function partitionsOf(disk: ServerDisk): Partition[] {
  return (tableOf(disk)?.entries ?? [])
    .filter(({ first, last }) => first <= last && (last + 1) * SECTOR <= disk.bytes)
    .map((entry) => ({
      ...entry,
      device: `${disk.device}${/\d$/.test(disk.device) ? "p" : ""}${entry.index + 1}`,
      offset: entry.first * SECTOR,
      bytes: (entry.last - entry.first + 1) * SECTOR,
    }));
}

/** Both copies, at the ends of the disk as it is. */
export function writeTable(disk: ServerDisk, uuid: string, entries: readonly GptEntry[]): void {
  const sectors = Math.floor(disk.bytes / SECTOR);
  const { start, end } = gptBytes({ disk: uuid, sectors, entries });
  // What boot loaders keep in the first sector stays.
  start.set(readDisk(disk, 0, 440), 0);
  writeDisk(disk, 0, start);
  writeDisk(disk, sectors * SECTOR - end.length, end);
}

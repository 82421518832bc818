import { dirname, join } from "node:path";
import { makeFolderDurably, writeDurably } from "@talosmith/lib/durable.ts";
import type { Files } from "@talosmith/lib/world/world.ts";
import { PRIVATE_FOLDER, paths } from "../../environment/folder.ts";

/** How an image came to a host, and what it is as far as we know. */
export interface ImageRecord {
  by: "download" | "upload";
  sha256?: string;
  /** Written before an upload begins: Proxmox copies an uploaded file to its place, so one that is smaller was cut off. A download appears whole or not at all. */
  bytes?: number;
}

/**
 * What this environment has brought to the hosts: Proxmox has no place for notes about images. A memory, never the truth: without it images are taken
 * for what their names say.
 */
export class ImageRecords {
  readonly #path: string;

  constructor(folder: string) {
    this.#path = join(paths.state(folder), "images.json");
  }

  of(files: Files, host: string, volume: string): ImageRecord | undefined {
    return this.#read(files)[`${host} ${volume}`];
  }

  keep(files: Files, host: string, volume: string, record: ImageRecord): void {
    this.#write(files, { ...this.#read(files), [`${host} ${volume}`]: record });
  }

  forget(files: Files, host: string, volume: string): void {
    const { [`${host} ${volume}`]: gone, ...rest } = this.#read(files);
    if (gone) this.#write(files, rest);
  }

  #read(files: Files): Record<string, ImageRecord> {
    const bytes = files.read(this.#path);
    if (!bytes) return {};
    try {
      return JSON.parse(Buffer.from(bytes).toString("utf8")) as Record<string, ImageRecord>;
    } catch {
      // Damaged by hand: then nothing is remembered.
      return {};
    }
  }

  #write(files: Files, records: Record<string, ImageRecord>): void {
    makeFolderDurably(files, dirname(this.#path), PRIVATE_FOLDER);
    writeDurably(files, this.#path, `${JSON.stringify(records, null, 2)}\n`);
  }
}

import { dirname, join } from "node:path";
import { makeFolderDurably, writeDurably } from "@talosmith/lib/durable.ts";
import type { Files } from "@talosmith/lib/world/world.ts";
import { PRIVATE_FOLDER, paths } from "../../environment/folder.ts";

/** A record of how an image came to a host, with its known size and checksum. */
export interface ImageRecord {
  by: "download" | "upload";
  sha256?: string;
  /**
   * Written before an upload begins: Proxmox copies an uploaded file to its final path, so a smaller file is incomplete. A download appears whole or
   * not at all.
   */
  bytes?: number;
}

/**
 * Records of the images that this environment brought to hosts, since Proxmox stores no notes about images. Only an aid: without a record, an image is
 * judged by its name.
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
      // A damaged file counts as empty.
      return {};
    }
  }

  #write(files: Files, records: Record<string, ImageRecord>): void {
    makeFolderDurably(files, dirname(this.#path), PRIVATE_FOLDER);
    writeDurably(files, this.#path, `${JSON.stringify(records, null, 2)}\n`);
  }
}

import type { Packing } from "./commands.ts";

/** A source of a disk image. */
export interface ImageSource {
  /** The URL from which the server can download it. */
  url(packing: Packing): string;
  /** Opens it on this computer. Each call begins at the first byte. */
  open(packing: "gz", signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** The unpacked size when it is known, for progress only. */
  readonly bytes?: number;
}

/** The result of writing an image without its head, which would make the disk bootable. */
export interface Written {
  /** Downloaded by the server; sent packed; sent plain. */
  readonly way: "there" | "packed" | "plain";
  /** The unpacked size, with the head. */
  readonly bytes: number;
  /** The hash of the same bytes, in hex. */
  readonly sha256: string;
  readonly head: Buffer;
}

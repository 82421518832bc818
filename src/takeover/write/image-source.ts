import type { Packing } from "./commands.ts";

/** A disk image, wherever it comes from. */
export interface ImageSource {
  /** Where the server itself can download it. */
  url(packing: Packing): string;
  /** The same here. Each call begins at the first byte. */
  open(packing: "gz", signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Unpacked, when that is known: for progress only. */
  readonly bytes?: number;
}

/** What was written: all but the head, which makes the disk one that a server starts from. */
export interface Written {
  /** Downloaded by the server; sent packed; sent plain. */
  readonly way: "there" | "packed" | "plain";
  /** Unpacked, with its head. */
  readonly bytes: number;
  /** In hex, of the same. */
  readonly sha256: string;
  readonly head: Buffer;
}

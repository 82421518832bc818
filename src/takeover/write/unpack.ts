import { createHash } from "node:crypto";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { TalosmithError } from "@talosmith/lib/errors.ts";
import { HEAD_BYTES } from "./commands.ts";
import { imageUnreadable } from "./errors.ts";

export interface Measure {
  /** Gives back what is behind the head. */
  take(part: Buffer): Buffer;
  bytes(): number;
  end(): { bytes: number; sha256: string; head: Buffer };
}

/** An image as it goes by: how long it is, its hash and its head. */
export function measure(): Measure {
  const hash = createHash("sha256");
  const heads: Buffer[] = [];
  let bytes = 0;
  return {
    take: (part) => {
      hash.update(part);
      const missing = Math.max(0, HEAD_BYTES - bytes);
      if (missing > 0) heads.push(Buffer.from(part.subarray(0, missing)));
      bytes += part.length;
      return part.subarray(missing);
    },
    bytes: () => bytes,
    end: () => ({ bytes, sha256: hash.digest("hex"), head: Buffer.concat(heads) }),
  };
}

/** A file of gzip that breaks off is an error, never an end. */
export async function* unpacked(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  // How it ends is heard from the stream itself.
  pipeline(source, gunzip).catch(() => {});
  try {
    for await (const part of gunzip) yield part as Buffer;
  } catch (error) {
    if (error instanceof TalosmithError || !(error instanceof Error)) throw error;
    throw imageUnreadable("the image", error.message, error);
  }
}

/** The packed parts as they are, while `taking` sees them unpacked. Ends well only when both do. */
export async function* besideUnpacked(
  source: AsyncIterable<Uint8Array>,
  taking: (part: Buffer) => void,
): AsyncGenerator<Uint8Array> {
  const copy = new PassThrough().on("error", () => {});
  const seeing = (async () => {
    for await (const part of unpacked(copy)) taking(part);
  })();
  seeing.catch(() => {});
  try {
    for await (const part of source) {
      if (!copy.write(part)) await Promise.race([once(copy, "drain"), seeing]);
      yield part;
    }
    copy.end();
    await seeing;
  } finally {
    copy.destroy();
  }
}

import { createHash } from "node:crypto";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { TalosmithError } from "@talosmith/lib/errors.ts";
import { HEAD_BYTES } from "./commands.ts";
import { imageUnreadable } from "./errors.ts";

export interface Measure {
  /** Returns the bytes after the head. */
  take(part: Buffer): Buffer;
  bytes(): number;
  end(): { bytes: number; sha256: string; head: Buffer };
}

/** Measures an image in a stream: size, hash and head. */
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

/** Unpacks gzip; a truncated file is an error, never the end. */
export async function* unpacked(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  // The stream itself reports the error.
  pipeline(source, gunzip).catch(() => {});
  try {
    for await (const part of gunzip) yield part as Buffer;
  } catch (error) {
    if (error instanceof TalosmithError || !(error instanceof Error)) throw error;
    throw imageUnreadable("the image", error.message, error);
  }
}

/** Passes the packed parts on, while `taking` gets them unpacked. Succeeds only when both do. */
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

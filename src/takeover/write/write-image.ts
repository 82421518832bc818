import { createHash } from "node:crypto";
import type { Shell } from "../shell.ts";
import { type Abilities, abilitiesOf } from "./abilities.ts";
import { body, flush, HEAD_BYTES, hashDisk } from "./commands.ts";
import { imageUnreadable, writeDiffers } from "./errors.ts";
import type { ImageSource, Written } from "./image-source.ts";
import type { Saying } from "./progress.ts";
import { sentPacked, sentPlain } from "./sent.ts";
import { downloadedThere } from "./there.ts";

/** Writes an image without its head to a disk, in the fastest possible way, and verifies it before it returns. */
export async function writeImage(shell: Shell, disk: string, image: ImageSource, c: Saying): Promise<Written> {
  const able = await abilitiesOf(shell, c.signal);
  const written = await byShortestWay(shell, disk, image, able, c);
  if (written.bytes <= HEAD_BYTES || written.bytes % 512 !== 0)
    throw imageUnreadable("the image", `${written.bytes} bytes are not a disk image`);
  c.say("reading back what was written");
  await verifyImage(shell, disk, written, able, c.signal);
  return written;
}

async function byShortestWay(shell: Shell, disk: string, image: ImageSource, able: Abilities, c: Saying): Promise<Written> {
  if (able.there) {
    const outcome = await downloadedThere(shell, disk, image, able.there, c);
    if ("written" in outcome) return outcome.written;
    c.say(`the server cannot get the image itself, so it is sent from here: ${outcome.why}`);
  }
  return able.unpacksGzip ? sentPacked(shell, disk, image, c) : sentPlain(shell, disk, image, c);
}

/**
 * Verifies the image on the disk, except for the head, which is not written yet. The hash is computed on the server, or here when the server has no
 * program for it.
 */
async function verifyImage(
  shell: Shell,
  disk: string,
  { bytes, sha256, head }: Written,
  { sum }: Pick<Abilities, "sum">,
  signal: AbortSignal,
): Promise<void> {
  const found = sum
    ? await summedThere(shell, `${flush(disk)}\n${hashDisk(disk, bytes, sum)}`, head, signal)
    : await summedHere();
  if (found !== sha256)
    throw writeDiffers(shell, disk, `the first ${bytes} bytes: SHA-256 ${found || "unknown"}, should be ${sha256}`);

  async function summedHere(): Promise<string> {
    const hash = createHash("sha256").update(head);
    await shell.fetch(`${flush(disk)}\n${body(disk, bytes)}`, (part) => hash.update(part), signal);
    return hash.digest("hex");
  }
}

async function summedThere(shell: Shell, command: string, head: Buffer, signal: AbortSignal): Promise<string> {
  const lines: string[] = [];
  await shell.feed(command, only(head), { line: (text) => lines.push(text), signal });
  return lines[0]?.slice(0, 64) ?? "";
}

async function* only(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

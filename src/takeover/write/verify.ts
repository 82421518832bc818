import { createHash } from "node:crypto";
import type { Shell } from "../shell.ts";
import type { Abilities } from "./abilities.ts";
import { body, flush, hashDisk } from "./commands.ts";
import { writeDiffers } from "./errors.ts";
import type { Written } from "./image-source.ts";

/**
 * Verifies the image on the disk, except for the head, which is not written yet. The hash is computed on the server, or here when the server has no
 * program for it.
 */
export async function verifyImage(
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

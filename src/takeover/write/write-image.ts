import type { Shell } from "../shell.ts";
import { type Abilities, abilitiesOf } from "./abilities.ts";
import { HEAD_BYTES } from "./commands.ts";
import { imageUnreadable } from "./errors.ts";
import type { ImageSource, Written } from "./image-source.ts";
import type { Saying } from "./progress.ts";
import { sentPacked, sentPlain } from "./sent.ts";
import { downloadedThere } from "./there.ts";
import { verifyImage } from "./verify.ts";

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

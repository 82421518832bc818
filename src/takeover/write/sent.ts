import type { Shell } from "../shell.ts";
import { HEAD_BYTES, writeFrom, writePacked } from "./commands.ts";
import { imageUnreadable, lastWords, unwritable } from "./errors.ts";
import type { ImageSource, Written } from "./image-source.ts";
import { progress, type Saying } from "./progress.ts";
import { besideUnpacked, measure, unpacked } from "./unpack.ts";

/** Sends the packed image from this computer; the server unpacks it. */
export async function sentPacked(shell: Shell, disk: string, image: ImageSource, c: Saying): Promise<Written> {
  const seen = measure();
  const show = progress(c, "sending the packed image", image.bytes);
  const source = besideUnpacked(await image.open("gz", c.signal), (part) => {
    seen.take(part);
    show(seen.bytes());
  });
  const said = new Map<string, string>();
  const line = (text: string) => {
    const [word = "", value = ""] = text.split(" ");
    said.set(word, value);
  };
  const { stderr } = await shell.feed(writePacked(disk), source, { line, signal: c.signal });
  if (said.get("write") !== "0") throw unwritable(shell, disk, stderr);
  if (said.get("unpack") !== "0") throw imageUnreadable("the image there", lastWords(stderr) || "gzip failed");
  return { way: "packed", ...seen.end() };
}

/** Sends the unpacked image, for a server that only has dd. */
export async function sentPlain(shell: Shell, disk: string, image: ImageSource, c: Saying): Promise<Written> {
  const seen = measure();
  const show = progress(c, "sending the image", image.bytes);
  const opened = await image.open("gz", c.signal);
  async function* behindHead(): AsyncGenerator<Uint8Array> {
    for await (const part of unpacked(opened)) {
      const rest = seen.take(part);
      show(seen.bytes());
      if (rest.length > 0) yield rest;
    }
  }
  const { code, stderr } = await shell.feed(writeFrom(disk, HEAD_BYTES, 1), behindHead(), { signal: c.signal });
  if (code !== 0) throw unwritable(shell, disk, stderr);
  return { way: "plain", ...seen.end() };
}

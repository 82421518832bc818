import type { Shell } from "../shell.ts";
import type { Abilities } from "./abilities.ts";
import { HEAD_BYTES, takeHead, writeThere } from "./commands.ts";
import { lastWords, unwritable } from "./errors.ts";
import type { ImageSource, Written } from "./image-source.ts";
import { progress, type Saying } from "./progress.ts";

/** The result: the written image, or the reason why the server cannot download it. */
export type Outcome = { written: Written } | { why: string };

/** The server downloads the image itself. */
export async function downloadedThere(
  shell: Shell,
  disk: string,
  image: ImageSource,
  how: NonNullable<Abilities["there"]>,
  c: Saying,
): Promise<Outcome> {
  const url = image.url(how.packing);
  const said = new Map<string, string>();
  const show = progress(c, "the server downloads the image and writes it", image.bytes);
  const line = (text: string) => {
    const [word = "", value = ""] = text.split(" ");
    if (word === "at") show(Number(value) * HEAD_BYTES);
    said.set(word, value);
  };
  const command = writeThere({ disk, url, ...how });
  const { stderr } = await shell.feed(command, nothing(), { line, signal: c.signal });
  if (said.get("write") !== "0" && said.has("write")) throw unwritable(shell, disk, stderr);
  const failed = ["get", "unpack", "split", "write"].find((part) => said.get(part) !== "0");
  const bytes = Number(said.get("bytes"));
  const sha256 = said.get("sha256") ?? "";
  const head = await putAside(shell, said.get("folder"), c.signal);
  if (failed !== undefined || !/^[0-9a-f]{64}$/.test(sha256) || !(bytes > HEAD_BYTES) || head.length !== HEAD_BYTES)
    return { why: lastWords(stderr) || `${how.get} of ${url} ended with ${said.get("get") ?? "nothing"}` };
  return { written: { way: "there", bytes, sha256, head } };
}

async function putAside(shell: Shell, folder: string | undefined, signal: AbortSignal): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  if (folder !== undefined && folder !== "") await shell.fetch(takeHead(folder), (part) => parts.push(part), signal);
  return Buffer.concat(parts);
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

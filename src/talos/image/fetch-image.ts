import { createHash } from "node:crypto";
import { remoteError } from "@talosmith/lib/errors.ts";
import { download } from "@talosmith/lib/http/download.ts";
import type { Write } from "../../engine/step.ts";
import type { Factory } from "./factory.ts";
import type { TalosImage } from "./image.ts";

/** An image as a file on this computer. */
export interface FetchedImage {
  path: string;
  size: number;
  sha256: string;
}

const MIB = 1024 * 1024;
const SAID_EVERY = 32 * MIB;

/** Downloads an image to this computer, for a host that cannot do so itself. `sha256`: the expected checksum, if the factory publishes one. */
export async function fetchImage(
  c: Write,
  { address, meter }: Factory,
  image: TalosImage,
  path: string,
  sha256?: string,
): Promise<FetchedImage> {
  const { files } = c.world;
  const hash = createHash("sha256");
  let taken = 0;
  files.remove(path);
  files.create(path, new Uint8Array(), 0o600);
  try {
    const take = (part: Uint8Array) => {
      files.append(path, part, 0o600);
      hash.update(part);
      if (Math.floor((taken + part.length) / SAID_EVERY) > Math.floor(taken / SAID_EVERY))
        c.say(`fetching ${image.file}: ${Math.floor((taken + part.length) / MIB)} MiB so far`);
      taken += part.length;
    };
    const url = `${address}${image.path}`;
    const size = await download(c.world, { url, trust: { by: "system" }, take, signal: c.signal, meter });
    const got = hash.digest("hex");
    if (sha256 !== undefined && sha256 !== got) throw damaged(image, sha256, got);
    return { path, size, sha256: got };
  } catch (error) {
    files.remove(path);
    throw error;
  }
}

function damaged({ file }: TalosImage, expected: string, actual: string) {
  return remoteError("IMAGE_DIGEST", {
    message: `Unable to use ${file}: its checksum is not the one of the image factory`,
    detail: `SHA-256 ${actual}, should be ${expected}`,
    hint: "run the command again; if it fails again, something between here and image.factory changes files",
    transient: true,
  });
}

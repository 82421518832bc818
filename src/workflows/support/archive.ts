import { basename, dirname } from "node:path";
import { gzipSync } from "node:zlib";
import { writeDurably } from "@talosmith/lib/durable.ts";
import { userError } from "@talosmith/lib/errors.ts";
import { packTar } from "@talosmith/lib/tar/pack.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { PRIVATE_FILE } from "../../environment/folder.ts";

/** Writes texts as files of one tar.gz that only its owner can read. Never replaces an existing file. */
export async function writeArchive(world: World, path: string, texts: ReadonlyMap<string, string>): Promise<number> {
  if (world.files.stat(path) !== undefined)
    throw userError("FILE_EXISTS", {
      message: `Unable to write ${path}: it exists already`,
      hint: "remove it, or name another file with --to. Nothing was changed.",
    });
  if (world.files.stat(dirname(path))?.kind !== "folder")
    throw userError("NO_FOLDER", {
      message: `Unable to write ${path}: there is no folder ${dirname(path)}`,
      hint: `make it: mkdir -p ${dirname(path)}, or name another file with --to`,
    });
  const inside = basename(path).replace(/\.tar\.gz$|\.tgz$/, "");
  const modifiedMs = world.clock.now();
  const entries = [...texts].map(([name, text]) => {
    const bytes = Buffer.from(text);
    return {
      name: `${inside}/${name}`,
      mode: PRIVATE_FILE,
      modifiedMs,
      content: { size: bytes.length, open: () => once(bytes) },
    };
  });
  const blocks: Uint8Array[] = [];
  for await (const block of packTar(entries)) blocks.push(block);
  const packed = gzipSync(Buffer.concat(blocks));
  writeDurably(world.files, path, packed, PRIVATE_FILE);
  return packed.length;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

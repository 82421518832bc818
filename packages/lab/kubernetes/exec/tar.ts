import { posix } from "node:path";
import { messageOf } from "@talosmith/lib/errors.ts";
import { packTar } from "@talosmith/lib/tar/pack.ts";
import { unpackTar } from "@talosmith/lib/tar/unpack.ts";
import { FileTrouble } from "./files.ts";
import { absolute, type Command, type Invocation, wholeOf } from "./invocation.ts";

const LIMITS = { entries: 10_000, size: 256 * 1024 * 1024 };

/** The tar of `kubectl cp`: `tar cf - PATH` to copy out, `tar -xmf - -C FOLDER` to copy in. */
export const tar: Command = async (run) => {
  const { how, folder, paths } = readArgs(run);
  try {
    if (how.includes("c") && paths.length > 0) return await pack(run, folder, paths);
    if (how.includes("x")) return await unpack(run, folder);
  } catch (error) {
    run.err(`tar: ${messageOf(error)}\n`);
    return 2;
  }
  run.err("tar: the lab's tar knows `tar cf - PATH` and `tar xf - -C FOLDER` only\n");
  return 2;
};

function readArgs({ args, folder }: Invocation): { how: string; folder: string; paths: string[] } {
  const at = args.indexOf("-C");
  const rest = args.filter(
    (arg, index) => arg !== "-" && !arg.startsWith("--") && (at < 0 || (index !== at && index !== at + 1)),
  );
  const [how = "", ...paths] = rest;
  return { how, folder: at < 0 ? folder : absolute(folder, args[at + 1] ?? "."), paths };
}

async function pack({ inside: { files, now }, out, err }: Invocation, folder: string, paths: readonly string[]): Promise<number> {
  const missing = paths.find((path) => !files.exists(absolute(folder, path)));
  if (missing !== undefined) {
    err(`tar: ${missing}: No such file or directory\n`);
    return 2;
  }
  const entries = paths.flatMap((path) => {
    const start = absolute(folder, path);
    const shown = path.replace(/^\/+/, "").replace(/\/+$/, "") || ".";
    return files.tree(start).map(({ path: found, mode, content }) => ({
      name: posix.join(shown, found.slice(start.length)).replace(/^\/+/, ""),
      mode,
      modifiedMs: now(),
      ...(content && { content: { size: content.length, open: () => once(content) } }),
    }));
  });
  for await (const part of packTar(entries)) out(part);
  return 0;
}

async function* once(content: Buffer): AsyncGenerator<Uint8Array> {
  yield content;
}

async function unpack({ inside: { files }, stdin }: Invocation, folder: string): Promise<number> {
  if (!files.isFolder(folder)) throw new FileTrouble(`can't change directory to '${folder}': No such file or directory`);
  for await (const { name, kind, mode, content } of unpackTar(stdin, LIMITS)) {
    const path = posix.join(folder, name);
    if (kind === "folder") makeFolders(files, path);
    else {
      makeFolders(files, posix.dirname(path));
      files.write(path, await wholeOf(content()), mode);
    }
  }
  return 0;
}

function makeFolders(files: Invocation["inside"]["files"], path: string): void {
  if (files.isFolder(path)) return;
  makeFolders(files, posix.dirname(path));
  files.makeFolder(path);
}

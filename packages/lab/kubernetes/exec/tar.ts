import { posix } from "node:path";
import { messageOf } from "@talosmith/lib/errors.ts";
import { packTar } from "@talosmith/lib/tar/pack.ts";
import { unpackTar } from "@talosmith/lib/tar/unpack.ts";
import { MISSING } from "../../shell/dialect.ts";
import { complain } from "../../shell/programs/program.ts";
import { FileProblem, fromParts, partsOf, readAll } from "../../shell/streams.ts";
import { absolute, type Command, type Started } from "./invocation.ts";

const LIMITS = { entries: 10_000, size: 256 * 1024 * 1024 };

/** The tar of `kubectl cp`: `tar cf - PATH` to copy out, `tar -xmf - -C FOLDER` to copy in. */
export const tar: Command = async (run) => {
  const { how, folder, paths } = readArgs(run);
  try {
    if (how.includes("c") && paths.length > 0) return await pack(run, folder, paths);
    if (how.includes("x")) return await unpack(run, folder);
  } catch (error) {
    return complain(run, `tar: ${messageOf(error)}`, 2);
  }
  return complain(run, "tar: the lab's tar knows `tar cf - PATH` and `tar xf - -C FOLDER` only", 2);
};

function readArgs(run: Started): { how: string; folder: string; paths: string[] } {
  const { args, folder } = run;
  const at = args.indexOf("-C");
  const rest = args.filter(
    (arg, index) => arg !== "-" && !arg.startsWith("--") && (at < 0 || (index !== at && index !== at + 1)),
  );
  const [how = "", ...paths] = rest;
  return { how, folder: at < 0 ? folder : absolute(run, args[at + 1] ?? "."), paths };
}

async function pack(run: Started, folder: string, paths: readonly string[]): Promise<number> {
  const { files, now } = run.inside;
  const missing = paths.find((path) => !files.exists(posix.resolve(folder, path)));
  if (missing !== undefined) return complain(run, `tar: ${missing}: ${MISSING}`, 2);
  const entries = paths.flatMap((path) => {
    const start = posix.resolve(folder, path);
    const shown = path.replace(/^\/+/, "").replace(/\/+$/, "") || ".";
    return files.tree(start).map(({ path: found, mode, content }) => ({
      name: posix.join(shown, found.slice(start.length)).replace(/^\/+/, ""),
      mode,
      modifiedMs: now(),
      ...(content && { content: { size: content.length, open: () => once(content) } }),
    }));
  });
  for await (const part of packTar(entries)) await run.stdout.write(Buffer.from(part));
  return 0;
}

async function* once(content: Buffer): AsyncGenerator<Uint8Array> {
  yield content;
}

async function unpack({ inside: { files }, stdin }: Started, folder: string): Promise<number> {
  if (!files.isFolder(folder)) throw new FileProblem(`can't change directory to '${folder}': ${MISSING}`);
  for await (const { name, kind, mode, content } of unpackTar(partsOf(stdin), LIMITS)) {
    const path = posix.join(folder, name);
    if (kind === "folder") makeFolders(files, path);
    else {
      makeFolders(files, posix.dirname(path));
      files.write(path, await readAll(fromParts(content())), mode);
    }
  }
  return 0;
}

function makeFolders(files: Started["inside"]["files"], path: string): void {
  if (files.isFolder(path)) return;
  makeFolders(files, posix.dirname(path));
  files.makeFolder(path);
}

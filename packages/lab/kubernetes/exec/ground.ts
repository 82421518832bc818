import { posix } from "node:path";
import { CHARACTER_DEVICES, characterDevice } from "../../shell/character-devices.ts";
import { ASH, type Dialect, MISSING } from "../../shell/dialect.ts";
import { matchingPaths } from "../../shell/pattern.ts";
import { type FileKind, type Ground, type Opening, unlessKilled } from "../../shell/process.ts";
import { COMMON } from "../../shell/programs/every-machine.ts";
import { type Program, print } from "../../shell/programs/program.ts";
import { counted, FileProblem, fromBytes, type OpenFile, unreadable } from "../../shell/streams.ts";
import { FILE_COMMANDS } from "./file-commands.ts";
import type { Files } from "./files.ts";
import { type Command, type Inside, operandsOf } from "./invocation.ts";
import { tar } from "./tar.ts";

/** The files and commands of a container, for a shell to run on. */
export function groundOf(inside: Inside, alive: AbortSignal): Ground {
  const { files, tools } = inside;
  const dialect = dialectOf(tools);
  return {
    alive,
    open: async (path, how) => characterDevice(path) ?? (how === "read" ? fromFile(files, path) : intoFile(files, path, how)),
    kind: (path) => kindOf(files, path),
    isLink: () => false,
    paths: (pattern, folder) =>
      matchingPaths(
        files.tree("/").map(({ path }) => path),
        pattern,
        folder,
      ),
    has: (name) => commandNamed(name) !== undefined || tools.includes(posix.basename(name)),
    start: async (name, started) => {
      const own = commandNamed(name);
      if (own) return own({ ...started, inside });
      let said = "";
      const code = await inside.runTool([name, ...started.args], (text) => {
        said += text;
      });
      await print(started, said);
      return code;
    },
    dialect: () => dialect,
    sleep: (ms, until) => unlessKilled(until, inside.sleep(ms)),
  };
}

function commandNamed(name: string) {
  const bare = posix.basename(name);
  return Object.hasOwn(COMMANDS, bare) ? COMMANDS[bare] : undefined;
}

function dialectOf(tools: readonly string[]): Dialect {
  const known = [...new Set([...Object.keys(COMMANDS), ...tools])].filter((one) => /^\w/.test(one)).sort();
  const why = `this container is simulated by a Talosmith lab, which can run: ${known.join(" ")}`;
  return { ...ASH, notFound: (name) => `${name}: not found: ${why}` };
}

function kindOf(files: Files, path: string): FileKind | undefined {
  if (CHARACTER_DEVICES.includes(path)) return { is: "character", isEmpty: true };
  if (files.isFolder(path)) return { is: "folder", isEmpty: false };
  const content = files.read(path);
  return content && { is: "file", isEmpty: content.length === 0 };
}

function fromFile(files: Files, path: string): OpenFile {
  const content = files.read(path);
  if (content === undefined) throw new FileProblem(files.isFolder(path) ? "Is a directory" : MISSING);
  return fromBytes(content);
}

function intoFile(files: Files, path: string, how: Opening): OpenFile {
  let held: Buffer = how === "write" ? Buffer.alloc(0) : (files.read(path) ?? Buffer.alloc(0));
  const write = async (bytes: Buffer) => {
    held = Buffer.concat([held, bytes]);
    files.write(path, held);
  };
  files.write(path, held);
  return counted({ read: unreadable, unread: () => {}, write }, () => {});
}

const printenv: Program = (run) => {
  const [name] = run.args;
  if (name === undefined) return print(run, [...run.environment].map(([key, value]) => `${key}=${value}\n`).join(""));
  const value = run.environment.get(name);
  return value === undefined ? 1 : print(run, `${value}\n`);
};

/** The commands of every container of the lab, whatever its image: enough to look around, and to copy files. */
const COMMANDS: Readonly<Record<string, Command>> = {
  ...COMMON,
  ...FILE_COMMANDS,
  ...{ ash: COMMON.sh as Program, printenv, tar },
  hostname: (run) => print(run, `${run.inside.hostname}\n`),
  whoami: (run) => print(run, run.inside.user === 0 ? "root\n" : `${run.inside.user}\n`),
  id: (run) => {
    const { user } = run.inside;
    return print(run, run.args[0] === "-u" ? `${user}\n` : `uid=${user}${user === 0 ? "(root)" : ""} gid=0(root)\n`);
  },
  uname: (run) =>
    print(run, operandsOf(run.args).flags.includes("a") ? `Linux ${run.inside.hostname} lab x86_64 Linux\n` : "Linux\n"),
  date: (run) => print(run, `${new Date(run.inside.now()).toUTCString().replace(",", "")}\n`),
};

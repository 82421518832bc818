import type { Lab } from "../kernel/kernel.ts";
import { BASH, DASH, MISSING } from "../shell/dialect.ts";
import { freshOwn } from "../shell/own.ts";
import { matchingPaths } from "../shell/pattern.ts";
import type { Ground, Process } from "../shell/process.ts";
import { COMMON } from "../shell/programs/every-machine.ts";
import { Shell } from "../shell/shell.ts";
import { counted, FileProblem, fromBytes, intoBytes, type OpenFile, readAll, unreadable, unwritable } from "../shell/streams.ts";
import { linkAt } from "./drivers.ts";
import { everyPath, isFolder, kindAt, readBytes, whyNotWritten, writeFile } from "./files.ts";
import type { Ended, Started } from "./programs/program.ts";
import { programs } from "./programs/programs.ts";
import { rootView } from "./root-view.ts";
import type { RootView } from "./state.ts";

type Input = Started["stdin"];
const NOTHING: Input = async () => Buffer.alloc(0);

const ENVIRONMENT = new Map([
  ["HOME", "/root"],
  ["USER", "root"],
  ["LOGNAME", "root"],
  ["SHELL", "/bin/bash"],
  ["PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
]);

/** Runs a line on a host of the lab, as `bash -c` does for root. */
export async function runOnHost(lab: Lab, hostName: string, commandLine: string, stdin: Input = NOTHING): Promise<Ended> {
  const [out, err] = [intoBytes(), intoBytes()];
  const files = new Map([
    [0, onceRead(stdin)],
    [1, out.file],
    [2, err.file],
  ]);
  const code = await new Shell(groundOf(lab, hostName), freshOwn(ENVIRONMENT, BASH, "/root"), files, lab.closing).run(
    commandLine,
  );
  return { code, stdout: out.bytes().toString("utf8"), stderr: err.bytes().toString("utf8") };
}

/** The files and programs of a host, for a shell to run on. */
function groundOf(lab: Lab, host: string): Ground {
  const look = <T>(work: (view: RootView) => T): T => lab.turn(() => work(rootView(lab, host)));
  return {
    alive: lab.closing,
    open: async (path, how) => (how === "read" ? fromFile(look, path) : intoFile(look, path, how)),
    kind: (path) => look((view) => kindAt(view, path)),
    isLink: (path) => look((view) => linkAt(view, path) !== undefined),
    paths: (pattern, folder) => look((view) => matchingPaths(everyPath(view), pattern, folder)),
    has: (name) => Object.hasOwn(COMMON, bareName(name)) || Object.hasOwn(programs, bareName(name)),
    start: (name, process) => start(lab, host, bareName(name), process),
    dialect: (shell) => (shell.endsWith("bash") ? BASH : DASH),
    sleep: (ms, alive) => lab.sleep(ms, alive),
  };
}

function bareName(name: string): string {
  return name.replace(/^\/(?:usr\/)?s?bin\//, "");
}

async function start(lab: Lab, host: string, name: string, process: Process): Promise<number> {
  const common = COMMON[name];
  if (common && !Object.hasOwn(programs, name)) return common(process);
  const { args, folder, stdin, stdout, stderr } = process;
  const shell: Started["shell"] = (other, line, input) => runOnHost(lab, other, line, input);
  const ended = await programs[name]?.({ lab, host, args, folder, stdin: () => readAll(stdin), shell });
  await stdout.write(Buffer.from(ended?.stdout ?? ""));
  await stderr.write(Buffer.from(ended?.stderr ?? ""));
  return ended?.code ?? 127;
}

type Look = <T>(work: (view: RootView) => T) => T;

function fromFile(look: Look, path: string): OpenFile {
  const bytes = look((view) => readBytes(view, path));
  if (bytes === undefined) throw new FileProblem(look((view) => (isFolder(view, path) ? "Is a directory" : MISSING)));
  return fromBytes(bytes);
}

/** The file is created or emptied when it is opened, before anything is written. */
function intoFile(look: Look, path: string, how: "write" | "append" | "both"): OpenFile {
  const problem = look((view) => whyNotWritten(view, path));
  if (problem !== undefined) throw new FileProblem(problem);
  let held = how === "write" ? Buffer.alloc(0) : (look((view) => readBytes(view, path)) ?? Buffer.alloc(0));
  look((view) => writeFile(view, path, held));
  const write = async (bytes: Buffer) => {
    held = Buffer.concat([held, bytes]);
    look((view) => writeFile(view, path, held));
  };
  return counted({ read: unreadable, unread: () => {}, write }, () => {});
}

/** Asks for the input at the first read, so that a program that reads nothing does not wait for it. */
function onceRead(input: Input): OpenFile {
  let rest: Buffer | undefined;
  let isRead = false;
  const read = async () => {
    const found = rest ?? (isRead ? Buffer.alloc(0) : await input());
    rest = undefined;
    isRead = true;
    return found;
  };
  const unread = (bytes: Buffer) => {
    rest = rest ? Buffer.concat([bytes, rest]) : bytes;
  };
  return counted({ read, unread, write: unwritable }, () => {});
}

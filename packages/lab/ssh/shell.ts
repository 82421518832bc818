import type { Lab } from "../kernel/kernel.ts";
import { invokeShell } from "../rescue/shell/invoke.ts";
import { freshOwn, type Ground, type Process } from "../rescue/shell/process.ts";
import { Shell } from "../rescue/shell/shell.ts";
import {
  counted,
  FileProblem,
  fromBytes,
  intoBytes,
  type OpenFile,
  readAll,
  unreadable,
  unwritable,
} from "../rescue/shell/streams.ts";
import { matching, readBytes, whyNotWritten, writeFile } from "./files.ts";
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

/** What bash -c does with a line on a host of the lab, as root. */
export async function runOnHost(lab: Lab, hostName: string, commandLine: string, stdin: Input = NOTHING): Promise<Ended> {
  const [out, err] = [intoBytes(), intoBytes()];
  const files = new Map([
    [0, onceRead(stdin)],
    [1, out.file],
    [2, err.file],
  ]);
  const code = await new Shell(groundOf(lab, hostName), freshOwn(ENVIRONMENT, "bash"), files, lab.closing).run(commandLine);
  return { code, stdout: out.bytes().toString("utf8"), stderr: err.bytes().toString("utf8") };
}

/** The files and programs of a host, for a shell to stand on. */
function groundOf(lab: Lab, host: string): Ground {
  const look = <T>(work: (view: RootView) => T): T => lab.turn(() => work(rootView(lab, host)));
  return {
    alive: lab.closing,
    open: async (path, how) => (how === "read" ? fromFile(look, path) : intoFile(look, path, how)),
    paths: (pattern) => {
      const text = pattern.map((piece) => piece.text).join("");
      return look((view) => matching(view, text)).filter((path) => path !== text);
    },
    has: (name) => SHELL.test(name) || Object.hasOwn(programs, bareName(name)),
    start: (name, process) => (SHELL.test(name) ? invokeShell(process) : start(lab, host, bareName(name), process)),
  };
}

const SHELL = /^(?:\/(?:usr\/)?bin\/)?(?:ba)?sh$/;

function bareName(name: string): string {
  return name.replace(/^\/(?:usr\/)?s?bin\//, "");
}

async function start(lab: Lab, host: string, name: string, { args, stdin, stdout, stderr }: Process): Promise<number> {
  const shell: Started["shell"] = (other, line, input) => runOnHost(lab, other, line, input);
  const ended = await programs[name]?.({ lab, host, args, stdin: () => readAll(stdin), shell });
  await stdout.write(Buffer.from(ended?.stdout ?? ""));
  await stderr.write(Buffer.from(ended?.stderr ?? ""));
  return ended?.code ?? 127;
}

type Look = <T>(work: (view: RootView) => T) => T;

function fromFile(look: Look, path: string): OpenFile {
  const bytes = look((view) => readBytes(view, path));
  if (bytes === undefined) throw new FileProblem("No such file or directory");
  return fromBytes(bytes);
}

/** Made or emptied when it is opened, whatever is written then. */
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

/** Whoever does not read it does not wait for it. */
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

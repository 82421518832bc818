import { messageOf } from "@talosmith/lib/errors.ts";
import { CHARACTER_DEVICES, characterDevice } from "../../shell/character-devices.ts";
import { ASH, MISSING } from "../../shell/dialect.ts";
import { freshOwn } from "../../shell/own.ts";
import { matchingPaths } from "../../shell/pattern.ts";
import { type Ground, unlessKilled } from "../../shell/process.ts";
import { COMMON } from "../../shell/programs/every-machine.ts";
import { complain, type Program, print } from "../../shell/programs/program.ts";
import { Shell } from "../../shell/shell.ts";
import { counted, FileProblem, fromBytes, type OpenFile, unreadable } from "../../shell/streams.ts";
import type { Image, Process } from "../pods/program.ts";

/** A shell with the programs that every machine has and wget. It reads the files of volumes and writes none. */
export const busybox: Image = {
  name: "busybox",
  pullMs: 2000,
  entrypoint: [],
  cmd: ["sh"],
  tools: ["wget"],
  program: async (run) => {
    const log = lines(run);
    const empty = fromBytes(Buffer.alloc(0));
    const files = new Map([
      [0, empty],
      [1, log.file],
      [2, log.file.retain()],
    ]);
    const own = freshOwn(new Map(Object.entries(run.env)), ASH, "/");
    const code = await new Shell(groundOf(run), own, files, run.signal).start(run.argv);
    log.end();
    return code;
  },
};

function groundOf(run: Process): Ground {
  const programs: Readonly<Record<string, Program>> = { ...COMMON, wget: wget(run) };
  const programNamed = (name: string) => programs[name.replace(/^.*\//, "")];
  return {
    alive: run.signal,
    open: async (path, how) => {
      const device = characterDevice(path);
      if (device) return device;
      if (how !== "read") throw new FileProblem("Read-only file system");
      const content = run.files[path];
      if (content === undefined) throw new FileProblem(MISSING);
      return fromBytes(Buffer.from(content));
    },
    kind: (path) => {
      const content = run.files[path];
      if (content !== undefined) return { is: "file", isEmpty: content === "" };
      if (CHARACTER_DEVICES.includes(path)) return { is: "character", isEmpty: true };
      const isFolder = ["/", "/tmp"].includes(path) || Object.keys(run.files).some((one) => one.startsWith(`${path}/`));
      return isFolder ? { is: "folder", isEmpty: false } : undefined;
    },
    isLink: () => false,
    paths: (pattern, folder) => matchingPaths(Object.keys(run.files), pattern, folder),
    has: (name) => programNamed(name) !== undefined,
    start: async (name, process) => (await programNamed(name)?.(process)) ?? 127,
    dialect: () => ASH,
    sleep: (ms, until) => unlessKilled(until, run.sleep(ms)),
  };
}

/** The log of a container: what is written, line by line. */
function lines({ log }: Process): { file: OpenFile; end(): void } {
  let rest = "";
  const write = async (bytes: Buffer) => {
    const parts = `${rest}${bytes.toString("utf8")}`.split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) log(line);
  };
  const end = () => {
    if (rest !== "") log(rest);
  };
  return { file: counted({ read: unreadable, unread: () => {}, write }, () => {}), end };
}

const wget =
  (run: Process): Program =>
  async (started) => {
    const url = started.args.find((arg) => /^https?:/.test(arg)) ?? "";
    try {
      const answer = await run.fetch(url);
      if (answer.status >= 400) return complain(started, `wget: server returned error: HTTP/1.1 ${answer.status}`);
      return print(started, answer.body);
    } catch (error) {
      return complain(started, `wget: ${messageOf(error)}`);
    }
  };

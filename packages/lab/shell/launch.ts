import { posix } from "node:path";
import {
  type Descriptors,
  type Ground,
  type Process,
  retained,
  type ScriptStart,
  signalCode,
  standardOf,
  unlessKilled,
} from "./process.ts";
import { BrokenPipe, FileProblem } from "./streams.ts";

export interface Launch {
  ground: Ground;
  environment: ReadonlyMap<string, string>;
  folder: string;
  fds: Descriptors;
  alive: AbortSignal;
  exec: (words: readonly string[], at: Launch) => Promise<number>;
  script: (source: string, start: ScriptStart & { shell: string; at: Launch }) => Promise<number>;
  complain: (what: string) => Promise<void>;
}

/** Runs a program that the machine has in a process of its own; gives its exit code. */
export async function launch(name: string, args: readonly string[], given: Launch): Promise<number> {
  const { ground, environment, folder, alive } = given;
  const fds = retained(given.fds);
  const at = { ...given, fds };
  const absolute = (path: string) => posix.resolve(folder, path);
  const process: Process = {
    ...{ args, environment, folder, alive, ...standardOf(fds), dialect: ground.dialect(name) },
    open: (path, how) => ground.open(absolute(path), how),
    kind: (path) => ground.kind(absolute(path)),
    isLink: (path) => ground.isLink(absolute(path)),
    sleep: (ms, until = alive) => ground.sleep(ms, until),
    exec: (words, changes) => at.exec(words, { ...at, ...changes }),
    script: (source, start) => at.script(source, { ...start, shell: name, at }),
  };
  try {
    return await unlessKilled(alive, ground.start(name, process));
  } catch (error) {
    if (error instanceof BrokenPipe) return signalCode(error) ?? 1;
    if (!(error instanceof FileProblem)) throw error;
    await given.complain(`${name}: ${error.message}`);
    return 1;
  } finally {
    for (const file of fds.values()) file.release();
  }
}

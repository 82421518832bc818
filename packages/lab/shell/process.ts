import type { Dialect } from "./dialect.ts";
import type { Piece } from "./pattern.ts";
import { BrokenPipe, fromBytes, Killed, type OpenFile } from "./streams.ts";

export type Opening = "read" | "write" | "append" | "both";

export interface FileKind {
  is: "file" | "folder" | "fifo" | "device" | "character";
  isEmpty: boolean;
}

/** The machine that a shell runs on: its files and its programs. All its paths are absolute. */
export interface Ground {
  readonly alive: AbortSignal;
  open(path: string, how: Opening): Promise<OpenFile>;
  /** Follows links; undefined when nothing has this path. */
  kind(path: string): FileKind | undefined;
  isLink(path: string): boolean;
  /** Paths that fit a pattern, written as it is. */
  paths(pattern: readonly Piece[], folder: string): string[];
  has(program: string): boolean;
  /** Starts a program that it has; gives its exit code. */
  start(program: string, process: Process): Promise<number>;
  /** How a shell that is started by this name words its complaints. */
  dialect(shell: string): Dialect;
  sleep(ms: number, alive: AbortSignal): Promise<void>;
}

/** What a program is given when it is started. */
export interface Process {
  args: readonly string[];
  environment: ReadonlyMap<string, string>;
  /** The folder it is in: absolute. */
  folder: string;
  stdin: OpenFile;
  stdout: OpenFile;
  stderr: OpenFile;
  /** Aborted when it is killed. */
  alive: AbortSignal;
  open(path: string, how: Opening): Promise<OpenFile>;
  kind(path: string): FileKind | undefined;
  isLink(path: string): boolean;
  sleep(ms: number, alive?: AbortSignal): Promise<void>;
  /** Starts another program with the same streams. */
  exec(words: readonly string[], changes?: { alive?: AbortSignal; environment?: ReadonlyMap<string, string> }): Promise<number>;
  /** Runs a shell of its own: `sh -c`. */
  script(source: string, start: ScriptStart): Promise<number>;
  /** How this program, as a shell, words its complaints. */
  dialect: Dialect;
}

export interface ScriptStart {
  positional: readonly string[];
  zero?: string | undefined;
  /** Letters of `set`. */
  options?: readonly string[];
}

export type Descriptors = Map<number, OpenFile>;

/** A closed descriptor reads as empty. */
export function standardOf(fds: Descriptors): Pick<Process, "stdin" | "stdout" | "stderr"> {
  const closed = fromBytes(Buffer.alloc(0));
  return { stdin: fds.get(0) ?? closed, stdout: fds.get(1) ?? closed, stderr: fds.get(2) ?? closed };
}

/** 128 and the number of the signal that ended a process. */
export function signalCode(error: unknown): number | undefined {
  if (error instanceof Killed) return 137;
  return error instanceof BrokenPipe ? 141 : undefined;
}

export function retained(fds: Descriptors): Descriptors {
  return new Map([...fds].map(([fd, file]) => [fd, file.retain()]));
}

/** Rejects at once when the process is killed, whatever it waits for. */
export async function unlessKilled<T>(alive: AbortSignal, work: Promise<T>): Promise<T> {
  let stop = () => {};
  const killed = new Promise<never>((_, reject) => {
    stop = () => reject(new Killed());
    if (alive.aborted) stop();
    alive.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, killed]);
  } finally {
    alive.removeEventListener("abort", stop);
    // The loser of the race may still reject, and nothing else listens to it.
    killed.catch(() => {});
    work.catch(() => {});
  }
}

import type { Own } from "./builtins.ts";
import type { Piece } from "./pattern.ts";
import { BrokenPipe, fromBytes, Killed, type OpenFile } from "./streams.ts";

/** What a shell stands on: the files and programs of its machine. */
export interface Ground {
  readonly alive: AbortSignal;
  open(path: string, how: "read" | "write" | "append" | "both"): Promise<OpenFile>;
  paths(pattern: readonly Piece[]): string[];
  has(program: string): boolean;
  /** Of a program that is there; its exit code. */
  start(program: string, process: Process): Promise<number>;
}

/** What a program is given when it is started. */
export interface Process {
  args: readonly string[];
  environment: ReadonlyMap<string, string>;
  stdin: OpenFile;
  stdout: OpenFile;
  stderr: OpenFile;
  /** Aborted when it is killed. */
  alive: AbortSignal;
  /** Starts another program in its place, with what it has. */
  exec(words: readonly string[], alive?: AbortSignal): Promise<number>;
  /** A shell of its own: `sh -c`. */
  script(source: string, args: readonly string[], zero?: string): Promise<number>;
}

export type Descriptors = Map<number, OpenFile>;

/** As a login by SSH begins. */
export function freshOwn(environment: ReadonlyMap<string, string>, name: Own["name"]): Own {
  const exported = new Set(environment.keys());
  const variables = new Map([["IFS", " \t\n"], ...environment]);
  return { variables, exported, functions: new Map(), positional: [], options: new Set(), name, zero: name };
}

/** As a subshell begins. */
export function copiedOwn({ variables, exported, functions, positional, options, name, zero }: Own): Own {
  return {
    ...{ variables: new Map(variables), exported: new Set(exported), functions: new Map(functions) },
    ...{ positional, options: new Set(options), name, zero },
  };
}

export function environmentOf({ variables, exported }: Own): Map<string, string> {
  return new Map([...variables].filter(([name]) => exported.has(name)));
}

/** What is closed reads as nothing. */
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

/** A process that is killed leaves at once whatever it waits for. */
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
    // Whichever lost the race may still fail, and nobody would hear it.
    killed.catch(() => {});
    work.catch(() => {});
  }
}

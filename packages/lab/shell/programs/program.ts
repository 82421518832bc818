import type { Process } from "../process.ts";
import { FileProblem, type OpenFile, readAll } from "../streams.ts";

/** Returns its exit code. */
export type Program = (started: Process) => number | Promise<number>;

export async function print({ stdout }: Process, text: string | Buffer): Promise<number> {
  await stdout.write(Buffer.from(text as string));
  return 0;
}

export async function complain({ stderr }: Process, text: string, code = 1): Promise<number> {
  await stderr.write(Buffer.from(`${text}\n`));
  return code;
}

export interface Options {
  /** By letter or long name; "" for an option without a value. */
  given: Map<string, string>;
  rest: string[];
}

/** Reads options as getopt does; `valued`: letters and long names of those that take a value. */
export function optionsOf(args: readonly string[], valued: readonly string[] = []): Options {
  const given = new Map<string, string>();
  const rest: string[] = [];
  const waiting = [...args];
  for (let arg = waiting.shift(); arg !== undefined; arg = waiting.shift()) {
    if (arg === "--") {
      rest.push(...waiting);
      break;
    }
    if (arg.startsWith("--")) {
      const [name = "", value] = arg.slice(2).split(/=(.*)/s);
      given.set(name, value ?? (valued.includes(name) ? (waiting.shift() ?? "") : ""));
    } else if (arg.startsWith("-") && arg !== "-") {
      for (let at = 1; at < arg.length; at++) {
        const letter = arg[at] ?? "";
        if (!valued.includes(letter)) {
          given.set(letter, "");
          continue;
        }
        given.set(letter, at + 1 < arg.length ? arg.slice(at + 1) : (waiting.shift() ?? ""));
        break;
      }
    } else rest.push(arg);
  }
  return { given, rest };
}

/** Opens a file to read; "-" and no path mean the standard input. */
export async function input(started: Process, path: string | undefined): Promise<OpenFile> {
  return path === undefined || path === "-" ? started.stdin.retain() : started.open(path, "read");
}

/** The contents of files, or of the standard input; complains of each that cannot be read. */
export async function contents(
  started: Process,
  name: string,
  paths: readonly string[],
): Promise<{ found: [string, Buffer][]; failed: boolean }> {
  const found: [string, Buffer][] = [];
  let failed = false;
  for (const path of paths.length > 0 ? paths : ["-"]) {
    try {
      const file = await input(started, path);
      found.push([path, await readAll(file)]);
      file.release();
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      failed = true;
      await complain(started, `${name}: ${path}: ${error.message}`);
    }
  }
  return { found, failed };
}

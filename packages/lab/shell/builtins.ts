import { posix } from "node:path";
import { Exit, Jump } from "./control.ts";
import { MISSING } from "./dialect.ts";
import type { Job } from "./jobs.ts";
import { type Own, optionNamed } from "./own.ts";
import type { FileKind } from "./process.ts";
import type { OpenFile } from "./streams.ts";

/** What a builtin sees and changes of its shell. */
export interface Inside {
  own: Own;
  jobs: readonly Job[];
  status: number;
  file(fd: number): OpenFile | undefined;
  has(program: string): boolean;
  kind(path: string): FileKind | undefined;
  evaluate(source: string): Promise<number>;
  complain(what: string): Promise<void>;
  /** Resolves when the job has ended, or the shell has. */
  awaited(job: Promise<number>): Promise<number>;
}

export type Builtin = (shell: Inside, args: readonly string[]) => number | Promise<number>;

export const BUILTINS: Readonly<Record<string, Builtin>> = {
  ":": () => 0,
  exit: ({ status }, [code]) => {
    throw new Exit(code === undefined ? status : Number(code) & 255);
  },
  return: ({ status }, [code]) => {
    throw new Jump("return", code === undefined ? status : Number(code));
  },
  break: (_, [count]) => {
    throw new Jump("break", Number(count ?? 1));
  },
  continue: (_, [count]) => {
    throw new Jump("continue", Number(count ?? 1));
  },
  set,
  export: ({ own }, args) => {
    for (const [name, value] of declared(args)) {
      own.exported.add(name);
      if (value !== undefined) own.variables.set(name, value);
    }
    return 0;
  },
  local: ({ own }, args) => {
    for (const [name, value] of declared(args)) own.variables.set(name, value ?? "");
    return 0;
  },
  readonly: ({ own }, args) => {
    for (const [name, value] of declared(args)) if (value !== undefined) own.variables.set(name, value);
    return 0;
  },
  unset: ({ own }, args) => {
    for (const name of args) {
      own.variables.delete(name);
      own.functions.delete(name);
    }
    return 0;
  },
  shift: ({ own }, [count]) => {
    own.positional = own.positional.slice(Number(count ?? 1));
    return 0;
  },
  eval: ({ evaluate }, args) => evaluate(args.join(" ")),
  read,
  wait,
  kill,
  /** No signal but the last one ever reaches a shell of the lab, so that no trap is ever run. */
  trap: () => 0,
  umask: () => 0,
  cd,
  ulimit: () => 0,
  command: found,
  type: async (shell, args) => {
    for (const name of args) await say(shell, shell.has(name) ? `${name} is ${whereIs(name)}\n` : `${name}: not found\n`);
    return args.every((name) => shell.has(name)) ? 0 : 1;
  },
};

function set({ own }: Inside, args: readonly string[]): number {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--" || !/^[-+]/.test(arg)) {
      own.positional = args.slice(arg === "--" ? at + 1 : at);
      return 0;
    }
    const change = (option: string) => (arg.startsWith("-") ? own.options.add(option) : own.options.delete(option));
    for (const letter of arg.slice(1)) {
      if (letter !== "o") change(letter);
      else change(optionNamed(args[++at] ?? ""));
    }
  }
  return 0;
}

function declared(args: readonly string[]): [string, string | undefined][] {
  return args
    .filter((arg) => !arg.startsWith("-"))
    .map((arg) => {
      const mark = arg.indexOf("=");
      return mark < 0 ? [arg, undefined] : [arg.slice(0, mark), arg.slice(mark + 1)];
    });
}

async function read({ own, file }: Inside, args: readonly string[]): Promise<number> {
  const names = args.filter((arg) => !arg.startsWith("-"));
  const stdin = file(0);
  let line = Buffer.alloc(0);
  let ended = false;
  for (;;) {
    const part = (await stdin?.read()) ?? Buffer.alloc(0);
    const end = part.indexOf(10);
    line = Buffer.concat([line, end < 0 ? part : part.subarray(0, end)]);
    if (end >= 0 && end + 1 < part.length) stdin?.unread(part.subarray(end + 1));
    ended = part.length === 0;
    if (ended || end >= 0) break;
  }
  const text = line.toString("utf8");
  const separators = own.variables.get("IFS") ?? " \t\n";
  let rest = separators === "" ? text : text.trim();
  for (const [index, name] of names.entries()) {
    const stop = [...rest].findIndex((char) => separators.includes(char));
    const last = index === names.length - 1 || stop < 0;
    own.variables.set(name, last ? rest : rest.slice(0, stop));
    rest = last ? "" : rest.slice(stop + 1).trimStart();
  }
  return ended ? 1 : 0;
}

async function wait({ jobs, awaited }: Inside, args: readonly string[]): Promise<number> {
  if (args.length === 0) {
    await awaited(Promise.all(jobs.map(({ ended }) => ended)).then(() => 0));
    return 0;
  }
  let code = 127;
  for (const id of args) {
    const job = jobs.find((one) => String(one.id) === id);
    code = job ? await awaited(job.ended) : 127;
  }
  return code;
}

async function kill({ jobs, file }: Inside, args: readonly string[]): Promise<number> {
  const signal = /^-[A-Z0-9]/.test(args[0] ?? "") ? args[0] : undefined;
  for (const id of args.slice(signal === undefined ? 0 : 1).filter((arg) => arg !== "--")) {
    const job = jobs.find((one) => String(one.id) === id.replace(/^-/, ""));
    if (!job) {
      await file(2)?.write(Buffer.from(`kill: (${id}) - No such process\n`));
      return 1;
    }
    if (signal !== "-0") job.stop.abort();
  }
  return 0;
}

async function cd({ own, kind, complain, file }: Inside, [given]: readonly string[]): Promise<number> {
  const back = given === "-";
  const wanted = back ? (own.variables.get("OLDPWD") ?? own.folder) : (given ?? own.variables.get("HOME") ?? "/");
  const folder = posix.resolve(own.folder, wanted);
  const found = kind(folder);
  if (found?.is !== "folder") {
    await complain(own.dialect.notEntered(wanted, found ? "Not a directory" : MISSING));
    return own.dialect.codes.redirect;
  }
  own.variables.set("OLDPWD", own.folder).set("PWD", folder);
  own.folder = folder;
  if (back) await file(1)?.write(Buffer.from(`${folder}\n`));
  return 0;
}

async function found(shell: Inside, args: readonly string[]): Promise<number> {
  const names = args.slice(1);
  for (const name of names)
    if (shell.has(name)) await say(shell, args[0] === "-V" ? `${name} is ${whereIs(name)}\n` : `${whereIs(name)}\n`);
  return names.length > 0 && names.every((name) => shell.has(name)) ? 0 : 1;
}

const IN_THE_SHELL = new Set(["echo", "printf", "test", "[", "true", "false", "pwd", ...Object.keys(BUILTINS)]);

function whereIs(name: string): string {
  return IN_THE_SHELL.has(name) || name.startsWith("/") ? name : `/usr/bin/${name}`;
}

async function say({ file }: Inside, text: string): Promise<void> {
  await file(1)?.write(Buffer.from(text));
}

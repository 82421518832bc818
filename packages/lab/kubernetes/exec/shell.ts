import { posix } from "node:path";
import { COMMANDS } from "./commands.ts";
import { FileTrouble } from "./files.ts";
import { absolute, type Invocation, wholeOf } from "./invocation.ts";
import { expandWord, readScript, type Simple } from "./words.ts";

const SHELLS = ["sh", "ash", "bash", "dash"];

/** Runs one command as the container runtime does: without a shell. */
export async function runCommand(argv: readonly string[], run: Omit<Invocation, "args">, lines?: Lines): Promise<number> {
  const [name = "", ...args] = argv;
  const command = posix.basename(name);
  if (SHELLS.includes(command)) return shell({ ...run, args }, lines);
  const own = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (own) return own({ ...run, args });
  if (run.inside.tools.includes(command)) return run.inside.runTool(argv, run.out);
  const known = [...new Set([...Object.keys(COMMANDS), ...SHELLS, ...run.inside.tools])].filter((one) => /^\w/.test(one)).sort();
  run.err(`${name}: not found: this container is simulated by a Talosmith lab, which can run: ${known.join(" ")}\n`);
  return 127;
}

/** Lines typed at a terminal; undefined: the input has ended. */
export interface Lines {
  prompt: string;
  next(prompt: string): Promise<string | undefined>;
}

interface Shell {
  env: Record<string, string>;
  folder: string;
  code: number;
  exited: boolean;
}

async function shell(run: Invocation, lines: Lines | undefined): Promise<number> {
  const state: Shell = { env: { ...run.env }, folder: run.folder, code: 0, exited: false };
  const at = run.args.findIndex((arg) => /^-\w*c$/.test(arg));
  const [file] = run.args.filter((arg) => !arg.startsWith("-"));
  if (at >= 0) await runScript(run.args[at + 1] ?? "", run, state);
  else if (file !== undefined) {
    const content = run.inside.files.read(absolute(run.folder, file));
    if (!content) {
      run.err(`sh: can't open '${file}': No such file or directory\n`);
      return 2;
    }
    await runScript(content.toString("utf8"), run, state);
  } else if (lines) {
    while (!state.exited) {
      const line = await lines.next(`${state.folder} ${lines.prompt} `);
      if (line === undefined) break;
      await runScript(line, run, state);
    }
  } else await runScript((await wholeOf(run.stdin)).toString("utf8"), run, state);
  return state.code;
}

async function runScript(script: string, run: Invocation, state: Shell): Promise<void> {
  for (const { after, commands } of readScript(script)) {
    if (state.exited) return;
    if ((after === "&&" && state.code !== 0) || (after === "||" && state.code === 0)) continue;
    let piped: Buffer | undefined;
    for (const [index, command] of commands.entries()) {
      const isLast = index === commands.length - 1;
      const collected: Uint8Array[] = [];
      const out = isLast && !command.to ? run.out : (part: string | Uint8Array) => void collected.push(Buffer.from(part));
      try {
        state.code = await runSimple(command, { ...run, out }, state, piped);
        save(command, run, state, Buffer.concat(collected));
      } catch (error) {
        if (!(error instanceof FileTrouble)) throw error;
        run.err(`sh: ${error.message}\n`);
        state.code = 1;
      }
      piped = command.to ? Buffer.alloc(0) : Buffer.concat(collected);
    }
  }
}

function save({ to }: Simple, { inside: { files } }: Invocation, state: Shell, content: Buffer): void {
  if (!to) return;
  const given = expandWord(to.file, state.env);
  if (given === "/dev/null") return;
  const path = absolute(state.folder, given);
  const before = to.append ? (files.read(path) ?? Buffer.alloc(0)) : Buffer.alloc(0);
  try {
    files.write(path, Buffer.concat([before, content]));
  } catch (error) {
    throw error instanceof FileTrouble ? new FileTrouble(`can't create ${given}: ${error.message}`) : error;
  }
}

async function runSimple(command: Simple, run: Invocation, state: Shell, piped: Buffer | undefined): Promise<number> {
  const variables = { ...state.env, "?": String(state.code) };
  const words = command.words.map((word) => expandWord(word, variables));
  const [name = "", value = ""] = words;
  const [, assigned, text = ""] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(name) ?? [];
  if (assigned !== undefined) {
    state.env[assigned] = text;
    return words.length > 1 ? runSimple({ ...command, words: command.words.slice(1) }, run, state, piped) : 0;
  }
  if (name === "exit") {
    state.exited = true;
    return value === "" ? state.code : Number(value) & 0xff;
  }
  if (name === "export") {
    const [, key = "", given = ""] = /^(\w+)=?([\s\S]*)$/.exec(value) ?? [];
    state.env[key] = given;
    return 0;
  }
  if (name === "cd") {
    const folder = absolute(state.folder, value || "/root");
    if (!run.inside.files.isFolder(folder)) throw new FileTrouble(`cd: can't cd to ${value}: No such file or directory`);
    state.folder = folder;
    return 0;
  }
  const from = command.from && run.inside.files.read(absolute(state.folder, expandWord(command.from, variables)));
  if (command.from && !from) throw new FileTrouble(`can't open ${expandWord(command.from, variables)}: no such file`);
  const input = from ?? piped;
  const stdin =
    input === undefined
      ? run.stdin
      : (async function* () {
          yield input;
        })();
  return runCommand(words, { ...run, stdin, env: state.env, folder: state.folder });
}

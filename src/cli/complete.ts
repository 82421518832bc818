import type { Command, Option } from "commander";
import { commandsOf } from "./help.ts";

/** The words that may come next on a command line. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  /** Names of files or folders are possible, too: the shell knows how to complete them. */
  readonly paths?: "files" | "folders";
}

export interface Candidate {
  /** The whole word. One that ends in "/" or "." is only the beginning of a word. */
  readonly word: string;
  readonly about?: string;
}

/** A word that is to be completed, and what stands before it. */
export interface Typed {
  /** The kind of the value, as help calls it: "node" of --allow-remove <node>. */
  readonly kind: string;
  readonly start: string;
  readonly choices?: readonly string[] | undefined;
  /** The arguments before it, by name. */
  readonly given: Readonly<Record<string, string>>;
}

export type Values = (typed: Typed) => Promise<Completion>;

/** Completes the last of `words`, which follow the name of the program. */
export async function complete(root: Command, words: readonly string[], values: Values): Promise<Completion> {
  const current = words.at(-1) ?? "";
  const line = readLine(root, words.slice(0, -1));
  const { candidates, ...rest } = await possible(line, current, values);
  return { candidates: candidates.filter(({ word }) => word.startsWith(current)), ...rest };
}

/** A command line up to the word that is to be completed. */
interface Line {
  command: Command;
  /** Words that are neither commands nor options. */
  args: string[];
  used: Option[];
  /** An option whose value comes next. */
  open: Option | undefined;
  /** After "--" there are no options. */
  ended: boolean;
}

function readLine(root: Command, words: readonly string[]): Line {
  const line: Line = { command: root, args: [], used: [], open: undefined, ended: false };
  for (const word of words) {
    const takesDash = line.open?.required === true;
    const isFlag = !line.ended && word.startsWith("-") && !takesDash;
    if (line.open && !isFlag) line.open = undefined;
    else if (isFlag) readFlag(line, word);
    else {
      const sub = line.args.length === 0 ? commandsOf(line.command).find((one) => one.name() === word) : undefined;
      if (sub) line.command = sub;
      else line.args.push(word);
    }
  }
  return line;
}

function readFlag(line: Line, word: string): void {
  line.open = undefined;
  line.ended = word === "--";
  const [flag, value] = word.split("=", 2);
  const option = optionsOf(line.command).find((one) => one.long === flag || one.short === flag);
  if (option === undefined) return;
  line.used.push(option);
  if (value === undefined && (option.required || option.optional)) line.open = option;
}

/** All options of a command, with --help and the hidden ones. */
function optionsOf(command: Command): Option[] {
  return command.createHelp().visibleOptions(command).concat(command.options);
}

async function possible(line: Line, current: string, values: Values): Promise<Completion> {
  const { command, args, open, ended } = line;
  if (open && (open.required || !current.startsWith("-"))) return values(typedAs(line, open, current));
  if (!ended && current.startsWith("-")) return flagOrValue(line, current, values);
  const subcommands = args.length > 0 || ended ? [] : commandsOf(command);
  const candidates = subcommands.map((one) => ({ word: one.name(), about: one.description() }));
  const argument = command.registeredArguments[args.length] ?? command.registeredArguments.find(({ variadic }) => variadic);
  if (argument === undefined) return candidates.length > 0 || ended ? { candidates } : { candidates: flags(line) };
  const given = givenTo(line);
  const found = await values({ kind: argument.name(), start: current, choices: argument.argChoices, given });
  return { ...found, candidates: [...candidates, ...found.candidates] };
}

/** "--on" or "--only=pro". */
async function flagOrValue(line: Line, current: string, values: Values): Promise<Completion> {
  const at = current.indexOf("=");
  if (at < 0) return { candidates: flags(line) };
  const start = current.slice(0, at + 1);
  const option = optionsOf(line.command).find(({ long }) => `${long}=` === start);
  if (option === undefined) return { candidates: [] };
  const { candidates, ...rest } = await values(typedAs(line, option, current.slice(at + 1)));
  return { candidates: candidates.map((one) => ({ ...one, word: start + one.word })), ...rest };
}

function flags({ command, used }: Line): Candidate[] {
  const open = command.createHelp().visibleOptions(command);
  const left = open.filter((option) => option.description.endsWith("(repeatable)") || !used.includes(option));
  return left.flatMap(({ long, description }) => (long ? [{ word: long, about: description }] : []));
}

function typedAs(line: Line, option: Option, start: string): Typed {
  const kind = /[<[]([^>\]]+)[>\]]/.exec(option.flags)?.[1] ?? "";
  return { kind, start, choices: option.argChoices, given: givenTo(line) };
}

function givenTo({ command, args }: Line): Record<string, string> {
  return Object.fromEntries(
    command.registeredArguments.flatMap((argument, at) => (args[at] === undefined ? [] : [[argument.name(), args[at]]])),
  );
}

import { shellWord } from "./shell-word.ts";

/** How the user started this process. */
export interface Invocation {
  /** The word that starts this program: "./talosmith". */
  program: string;
  /** The command as the user typed it, without flags that concern only its output: ["up", "environments/homelab", "--only", "addons"]. */
  words: readonly string[];
  /** The folder that it is about. */
  environment?: string;
  /** Returns the flags that another command needs to reach the same servers: ["--wire", "lab/wire.yaml"]. */
  flagsOf?(command: string): readonly string[];
}

let invocation: Invocation = { program: "talosmith", words: [] };

/** Sets how this process was started; once, before the first command is suggested. */
export function startedAs(given: Invocation): void {
  invocation = given;
}

/** A command of this program that the user can paste: ownCommand("node replace", "environments/homelab", "worker-2"). */
export function ownCommand(command: string, ...words: string[]): string {
  return line([...command.split(" "), ...words, ...(invocation.flagsOf?.(command) ?? [])]);
}

/** The command that runs, as it was typed, with `more` flags. `shown`: its folder, for a command that another one started. */
export function sameCommand(command: string, shown: string, ...more: string[]): string {
  const { words } = invocation;
  const isTyped = command.split(" ").every((word, at) => words[at] === word);
  return isTyped ? line([...words, ...more]) : ownCommand(command, shown, ...more);
}

/** The folder that the command is about, for messages of code that knows no folder. */
export function typedEnvironment(): string {
  return invocation.environment ?? "ENVIRONMENT";
}

/** The command as the user typed it, without the program's name. */
export function typedWords(): readonly string[] {
  return invocation.words;
}

const line = (words: readonly string[]) => [invocation.program, ...words.map(shellWord)].join(" ");

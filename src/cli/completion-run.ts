import { shippedFile } from "@talosmith/lib/world/platform.ts";
import { programName } from "@talosmith/lib/world/program-name.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { Command } from "commander";
import { processTerminal } from "../views/terminal.ts";
import { type Completion, complete } from "./complete.ts";
import { valuesFrom } from "./complete-values.ts";
import { completionScript, type Shell } from "./completion-script.ts";

/** Prints the script for a shell. It completes the name of the file that was started, in whichever folder that is. */
export function printScript(shell: Shell): void {
  const name = /[^/\\' ]+(?='?$)/.exec(programName())?.[0] ?? "talosmith";
  processTerminal("stdout").write(completionScript(shell, name));
}

/** Prints what may stand in place of the last word, for the scripts: one word a line, with a tab before its description. */
export async function printCompletion(root: Command, [shell, ...typed]: readonly string[]): Promise<void> {
  const words = shell === "bash" ? bashWords(typed) : typed;
  const found = await complete(root, words, valuesFrom({ files: realWorld().files, root, shipped: shippedFile })).catch(
    (): Completion => ({ candidates: [] }),
  );
  const current = words.at(-1) ?? "";
  // bash replaces only what follows the "=".
  const kept = shell === "bash" && current.startsWith("-") ? current.indexOf("=") + 1 : 0;
  const lines = found.candidates.map(({ word, about }) => (about ? `${word.slice(kept)}\t${oneLine(about)}` : word.slice(kept)));
  processTerminal("stdout").write([...lines, ...(found.paths ? [`:${found.paths}`] : []), ""].join("\n"));
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");

/** bash takes "=" for a word of its own, and leaves quotes as they were typed. */
function bashWords(typed: readonly string[]): string[] {
  const words: string[] = [];
  for (const [at, word] of typed.entries()) {
    const before = words.at(-1);
    const isJoined = word === "=" || typed[at - 1] === "=";
    if (isJoined && before?.startsWith("--")) words[words.length - 1] = before + unquoted(word);
    else words.push(unquoted(word));
  }
  return words;
}

const unquoted = (word: string) => word.replaceAll(/\\(.)|["']/g, "$1");

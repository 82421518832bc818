import { optionNamed } from "./own.ts";
import type { Process } from "./process.ts";
import { FileProblem, type OpenFile, readAll } from "./streams.ts";

const SHELL = /^(?:\/(?:usr\/)?bin\/)?(?:ba|da|a)?sh$/;

export function isShell(name: string): boolean {
  return SHELL.test(name);
}

/** `sh` and its relatives: `-c TEXT [NAME ARG…]`, `FILE [ARG…]`, or the text that comes in. */
export async function invokeShell(started: Process): Promise<number> {
  const { letters, rest } = optionsIn(started.args);
  const options = letters.filter((letter) => !/[cs]/.test(letter));
  const [first, ...others] = rest;
  if (letters.includes("c")) {
    const [zero, ...positional] = others;
    return started.script(first ?? "", { positional, zero, options });
  }
  if (first === undefined || letters.includes("s"))
    return started.script((await readAll(started.stdin)).toString("utf8"), { positional: rest, options });
  let file: OpenFile;
  try {
    file = await started.open(first, "read");
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    const { dialect, stderr } = started;
    await stderr.write(Buffer.from(`${dialect.noScript(dialect.name, first, error.message)}\n`));
    return dialect.codes.script;
  }
  const source = await readAll(file);
  file.release();
  return started.script(source.toString("utf8"), { positional: others, zero: first, options });
}

/** Splits the arguments of a shell into the letters of its options and the rest. */
function optionsIn(args: readonly string[]): { letters: string[]; rest: string[] } {
  const letters: string[] = [];
  const rest = [...args];
  while (rest[0]?.startsWith("-")) {
    const option = rest.shift() ?? "";
    if (option === "-" || option === "--") break;
    if (!option.startsWith("--")) letters.push(...option.slice(1));
    // `-o pipefail`; the long options that bash has, like --norc, take no value.
    if (/^-\w*o$/.test(option)) letters.splice(letters.lastIndexOf("o"), 1, optionNamed(rest.shift() ?? ""));
  }
  return { letters, rest };
}

import { Jump } from "./control.ts";
import { expandFields, expandPattern, expandText, type Scope } from "./expand.ts";
import type { Own } from "./own.ts";
import { matches } from "./pattern.ts";
import { Killed } from "./streams.ts";
import type { Command, List } from "./syntax.ts";

export type Compound = Exclude<Command, { is: "simple" | "function" }>;

/** What a compound command needs of the shell that runs it. */
export interface Runner {
  own: Own;
  alive: AbortSignal;
  scope(): Scope;
  list(list: List): Promise<number>;
  /** A list whose failure is an answer: `set -e` does not end the shell. */
  test(list: List): Promise<number>;
  subshell(list: List): Promise<number>;
  pause(ms: number): Promise<void>;
}

/** A loop takes time, so that one without an end does not stop the lab: so long after so many rounds. */
const PAUSE = { rounds: 1000, ms: 100 };

export async function runCompound(command: Compound, shell: Runner): Promise<number> {
  switch (command.is) {
    case "group":
      return shell.list(command.body);
    case "subshell":
      return shell.subshell(command.body);
    case "if":
      for (const { test, body } of command.branches) if ((await shell.test(test)) === 0) return listOrSuccess(body, shell);
      return command.otherwise ? shell.list(command.otherwise) : 0;
    case "loop":
      return looped(shell, async () => {
        const code = await shell.test(command.test);
        return (code === 0) === command.until ? undefined : shell.list(command.body);
      });
    case "for": {
      const values = command.words ? await expandFields(shell.scope(), command.words) : [...shell.own.positional];
      return looped(shell, async () => {
        const value = values.shift();
        if (value === undefined) return undefined;
        shell.own.variables.set(command.name, value);
        return shell.list(command.body);
      });
    }
    case "case":
      return runCase(command, shell);
  }
}

async function runCase(command: Extract<Compound, { is: "case" }>, shell: Runner): Promise<number> {
  const text = await expandText(shell.scope(), command.word);
  for (const { patterns, body } of command.arms)
    for (const pattern of patterns)
      if (matches(await expandPattern(shell.scope(), pattern), text)) return listOrSuccess(body, shell);
  return 0;
}

async function listOrSuccess(body: List, shell: Runner): Promise<number> {
  return body.length > 0 ? shell.list(body) : 0;
}

/** `once` gives the exit code of the body, undefined when the loop is over. */
async function looped({ alive, pause }: Runner, once: () => Promise<number | undefined>): Promise<number> {
  let code = 0;
  for (let round = 1; ; round++) {
    if (alive.aborted) throw new Killed();
    if (round % PAUSE.rounds === 0) await pause(PAUSE.ms);
    try {
      const ended = await once();
      if (ended === undefined) return code;
      code = ended;
    } catch (error) {
      if (!(error instanceof Jump) || error.kind === "return") throw error;
      if (--error.count > 0) throw error;
      if (error.kind === "break") return 0;
    }
  }
}

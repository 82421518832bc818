import { userError } from "@talosmith/lib/errors.ts";
import { deletionsIn, deletionWords } from "../engine/deletion.ts";
import type { PlanResult } from "../engine/result.ts";
import type { Change, Typed } from "../engine/step.ts";
import { ask, canAsk } from "../views/ask.ts";

/** The terminal that questions go to. */
export interface Person {
  canAsk(): boolean;
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
}

/**
 * Returns whether the plan may be carried out. Asks on a terminal; without one, a plan that interrupts running machines needs --yes. Names that
 * must be typed are asked for even with --yes.
 */
export async function agree(
  plan: PlanResult,
  flags: { yes?: boolean; json?: boolean },
  signal: AbortSignal,
  what = "This interrupts running machines",
  person: Person = { canAsk, ask },
): Promise<boolean> {
  const isThere = person.canAsk() && !flags.json;
  const typed = plan.changes.flatMap((change) => change.typed ?? []);
  if (typed.length > 0 && !isThere) throw unconfirmed(typed);
  return (await agreeToPlan(plan, flags, signal, what, isThere ? person : undefined)) && typesAll(typed, signal, person);
}

async function agreeToPlan(
  plan: PlanResult,
  flags: { yes?: boolean },
  signal: AbortSignal,
  what: string,
  person: Person | undefined,
): Promise<boolean> {
  if (flags.yes) return true;
  if (person) {
    const answer = await person.ask("Do this? [y/N] ", signal);
    return /^y(es)?$/i.test(answer?.trim() ?? "");
  }
  const disturbing = plan.changes.filter(
    (change) => change.verb === "restart" || change.verb === "replace" || change.verb === "delete",
  );
  if (disturbing.length === 0) return true;
  throw userError("NOT_CONFIRMED", {
    message: `${what}, and there is no terminal to confirm it`,
    detail: disturbing.flatMap((change) => [`${change.verb} ${change.subject}`, ...deletionLines([change])]).join("\n"),
    hint: "add --yes to do it. Nothing was changed.",
  });
}

/** Asks for each name: each stands for data that will be lost. */
async function typesAll(typed: readonly Typed[], signal: AbortSignal, person: Person): Promise<boolean> {
  for (const { name, why } of typed) {
    const answer = await person.ask(`${why}. It will be lost. Type ${name} to overwrite it: `, signal);
    if (answer?.trim() !== name) return false;
  }
  return true;
}

function unconfirmed(typed: readonly Typed[]) {
  const where = typed.find((one) => one.where)?.where;
  return userError("OVERWRITE_UNCONFIRMED", {
    message: `Data would be overwritten on ${typed.map(({ name }) => name).join(", ")}, and there is no terminal to confirm it; --yes does not cover that`,
    detail: typed.map(({ name, why }) => `${name}: ${why}`).join("\n"),
    hint: `${typed.map(({ instead }) => instead).join("\n")}\nor run it in a terminal and type the names. Nothing was changed.`,
    ...(where && { where }),
  });
}

const deletionLines = (changes: readonly Change[]) => deletionsIn(changes).map((one) => `  deletes ${deletionWords(one)}`);

/** Asks for a name before a change that cannot be undone. The plan, with every volume to be deleted, is printed right above the question. */
export async function agreeByName(
  name: string,
  plan: PlanResult,
  what: string,
  flags: { yes?: boolean; json?: boolean },
  signal: AbortSignal,
  person: Person = { canAsk, ask },
): Promise<boolean> {
  if (flags.yes) return true;
  const deletes = deletionLines(plan.changes);
  if (!person.canAsk() || flags.json) {
    throw userError("NOT_CONFIRMED", {
      message: `${what} cannot be undone, and there is no terminal to confirm it`,
      ...(deletes.length > 0 && { detail: deletes.join("\n") }),
      hint: "add --yes to do it. Nothing was changed.",
    });
  }
  const volumes = deletes.length === 0 ? "" : ` ${deletes.length} volume${deletes.length === 1 ? "" : "s"} will be deleted.`;
  return (await person.ask(`${what} cannot be undone.${volumes} Type ${name} to continue: `, signal))?.trim() === name;
}

/** Asks for confirmation of the whole command, whatever it changes; needs a terminal or --yes. */
export async function agreeToAll(what: string, flags: { yes?: boolean; json?: boolean }, signal: AbortSignal): Promise<boolean> {
  if (flags.yes) return true;
  if (!canAsk() || flags.json) {
    throw userError("NOT_CONFIRMED", {
      message: `${what}, and there is no terminal to confirm it`,
      hint: "add --yes to do it. Nothing was changed.",
    });
  }
  return /^y(es)?$/i.test((await ask(`${what}. Do this? [y/N] `, signal))?.trim() ?? "");
}

import type { PlanResult } from "../engine/result.ts";
import { userError } from "../lib/errors.ts";
import { ask, canAsk } from "../views/ask.ts";

/** May the plan be carried out? Asks where there is a person; where there is none, only what disturbs nothing that runs goes without --yes. */
export async function agree(
  plan: PlanResult,
  flags: { yes?: boolean; json?: boolean },
  signal: AbortSignal,
  what = "This disturbs machines that run",
): Promise<boolean> {
  if (flags.yes) return true;
  if (canAsk() && !flags.json) {
    const answer = await ask("Do this? [y/N] ", signal);
    return /^y(es)?$/i.test(answer?.trim() ?? "");
  }
  const disturbing = plan.changes.filter(
    (change) => change.verb === "restart" || change.verb === "replace" || change.verb === "delete",
  );
  if (disturbing.length === 0) return true;
  throw userError("NOT_CONFIRMED", {
    message: `${what}, and there is nobody to ask`,
    detail: disturbing.map((change) => `${change.verb} ${change.subject}`).join("\n"),
    hint: "add --yes to do it. Nothing was changed.",
  });
}

/** Something that cannot be undone is confirmed by its name. */
export async function agreeByName(
  name: string,
  what: string,
  flags: { yes?: boolean; json?: boolean },
  signal: AbortSignal,
): Promise<boolean> {
  if (flags.yes) return true;
  if (!canAsk() || flags.json) {
    throw userError("NOT_CONFIRMED", {
      message: `${what} cannot be undone, and there is nobody to ask`,
      hint: "add --yes to do it. Nothing was changed.",
    });
  }
  return (await ask(`${what} cannot be undone. Type ${name} to go on: `, signal))?.trim() === name;
}

/** What is done where a person's other things are: never without somebody who agreed. */
export async function agreeToAll(what: string, flags: { yes?: boolean; json?: boolean }, signal: AbortSignal): Promise<boolean> {
  if (flags.yes) return true;
  if (!canAsk() || flags.json) {
    throw userError("NOT_CONFIRMED", {
      message: `${what}, and there is nobody to ask`,
      hint: "add --yes to do it. Nothing was changed.",
    });
  }
  return /^y(es)?$/i.test((await ask("Do this? [y/N] ", signal))?.trim() ?? "");
}

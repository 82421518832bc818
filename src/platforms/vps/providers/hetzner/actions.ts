import { remoteError } from "@talosmith/lib/errors.ts";
import type { Condition, Read } from "../../../../engine/step.ts";
import { type Loose, listOrNone, object, requiredNumber, text } from "./answers.ts";
import type { HetznerClient } from "./client.ts";

const LIMIT_MS = 10 * 60_000;

/** The ids of the actions that a response names; they continue after it. */
export function actionIds(answer: Loose): number[] {
  const one = answer.action === undefined || answer.action === null ? [] : [object(answer.action, "action")];
  return [...one, ...listOrNone(answer.actions, "actions")].map(({ id }) => requiredNumber(id, "an action's id"));
}

/** Waits until an action has ended, and fails when it did not end well. GET /actions/{id} */
export async function actionDone(client: HetznerClient, c: Read, id: number, what: string): Promise<void> {
  let action: Loose = {};
  const ended: Condition = {
    name: `the request to ${what} is done`,
    timeoutMs: LIMIT_MS,
    poll: async () => {
      action = object((await client.get(`/actions/${id}`, c)).action, "action");
      return action.status === "running"
        ? { reason: `Hetzner Cloud is working on it: ${text(action.command) ?? `action ${id}`}` }
        : true;
    },
  };
  await c.until(ended);
  if (action.status === "success") return;
  const error = object(action.error ?? {}, "an action's error");
  throw remoteError("HETZNER_ACTION", {
    message: `Unable to ${what}`,
    detail: `the action ${id} ended with: ${[error.code, error.message].map(text).filter(Boolean).join(": ") || "no reason given"}`,
    hint: "look at the server in the console of Hetzner Cloud, then run the same command again",
  });
}

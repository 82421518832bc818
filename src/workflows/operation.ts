import { userError } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Environment } from "../environment/environment.ts";
import type { OperationRecord } from "../environment/operation-record.ts";
import type { Inventory } from "../platforms/platform.ts";

/**
 * A command that must reach its end once it has begun. Its target is recorded before the first change, and from then on has precedence over the config.
 * Its milestones are ordinary steps, whose plan is empty at or past them: so the same command, run again, goes on from reality.
 */
export interface Operation {
  /** "node replace", "stop" */
  readonly kind: string;
  /** The node it applies to; absent for the whole cluster. */
  readonly subject?: string;
  /** Returns the environment to work on: the config with the operation's target in it. `target`: the recorded one, when the operation is resumed. */
  aim(env: Environment, found: Inventory, target: Json | undefined): Environment;
  /** Returns the target to record, from the environment that the plan was made for. */
  target(env: Environment): Json;
  /** Kinds of interrupted operations that this one may replace. */
  readonly supersedes?: readonly string[];
}

/** "node replace worker-2" */
export function operationWords({ kind, subject }: Pick<OperationRecord, "kind" | "subject">): string {
  return subject === undefined ? kind : `${kind} ${subject}`;
}

/** The command that resumes an operation: "talosmith node replace environments/homelab worker-2". */
export function resumeCommand({ kind, subject }: Pick<OperationRecord, "kind" | "subject">, shown: string): string {
  return ownCommand(kind, shown, ...(subject === undefined ? [] : [subject]));
}

/** Returns the record to resume from; undefined when none is open, or this command may replace the open one. */
export function resumedBy(
  operation: Operation | undefined,
  open: OperationRecord | undefined,
  env: Environment,
): OperationRecord | undefined {
  if (open === undefined) return undefined;
  if (operation && operation.kind === open.kind && operation.subject === open.subject) return open;
  if (operation?.supersedes?.includes(open.kind)) return undefined;
  throw userError("OPERATION_OPEN", {
    message: `Unable to begin: "${operationWords(open)}" of ${env.config.cluster.name} was interrupted and has not ended`,
    detail: `it began at ${open.at}`,
    hint: `${waysOut(open, env.shown)}\nNothing was changed.`,
  });
}

/** Returns the notice for commands that change nothing and so are not refused. */
export function interruptedNotice(open: OperationRecord, shown: string): { message: string; hint: string } {
  return { message: `"${operationWords(open)}" was interrupted and has not ended`, hint: waysOut(open, shown) };
}

function waysOut(open: OperationRecord, shown: string): string {
  return [
    `finish it:    ${resumeCommand(open, shown)}`,
    `abandon it:   ${ownCommand("abandon", shown)}`,
    `remove all:   ${ownCommand("down", shown)}`,
  ].join("\n");
}

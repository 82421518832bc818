import { type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import { PRESETS } from "../catalog/addons/presets.ts";
import { nearest } from "../config/nearest.ts";
import { addonName } from "../config/told-presets.ts";
import { changesOf, type Plan } from "../engine/plan.ts";
import type { Change } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import type { PastRun } from "../environment/runs.ts";
import type { Inventory } from "../platforms/platform.ts";

/** Changes in the plans of these runs. */
export function plannedIn(runs: readonly PastRun[]): Change[] {
  return runs.flatMap((run) =>
    run.events().flatMap((event) => (event.type === "result" && event.result.kind === "plan" ? event.result.changes : [])),
  );
}

/** The runs of the current command: those since the last successful one, which is included. An interrupted command may be repeated unchanged. */
export function sinceSuccess(runs: readonly PastRun[]): readonly PastRun[] {
  const last = runs.findIndex((run) => run.events().some((event) => event.type === "run.finished" && event.outcome === "ok"));
  return last === -1 ? runs : runs.slice(0, last + 1);
}

/**
 * Refuses names in flags that belong to no node: of the config, of an existing machine or of a plan of an earlier run (`before`), because a command
 * that has removed a node may be repeated.
 */
export function unknownNodes(
  { env, found, plan }: { env: Pick<Environment, "config">; found: Inventory; plan: Plan },
  flags: Readonly<Record<string, readonly string[]>>,
  before: () => readonly PastRun[],
): TalosmithError[] {
  const asked = changesOf(plan).flatMap((change) => change.needsConsent ?? []);
  const machines = [...found.owned, ...(found.unseen ?? [])].map(({ name }) => name);
  const known = [...new Set([...asked, ...env.config.nodes.map(({ name }) => name), ...machines, ...(found.silent ?? [])])];
  const wasPlanned = (name: string) => plannedIn(before()).some(({ subject }) => subject.split(" ").includes(name));
  return Object.entries(flags).flatMap(([flag, names]) =>
    names
      .filter((name) => !known.includes(name) && !wasPlanned(name))
      .map((name) => {
        const near = nearest(name, asked) ?? nearest(name, known);
        return userError("NO_SUCH_NODE", {
          message: `${flag} ${name}: there is no node of this name`,
          hint: `${near === undefined ? "correct the name, or leave it out." : `did you mean ${near}?`} Nothing was changed.`,
        });
      }),
  );
}

/** The name of an addon in plans and in the cluster, from that name or from its key in the config: "certManager" is "cert-manager". */
export function addonNamed(text: string): string {
  return Object.hasOwn(PRESETS, text) ? addonName(text) : text;
}

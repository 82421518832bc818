import { type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import { PRESETS } from "../catalog/addons/presets.ts";
import { nearest } from "../config/nearest.ts";
import { addonName } from "../config/told-presets.ts";
import { changesOf, type Plan } from "../engine/plan.ts";
import type { Change } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import type { PastRun } from "../environment/runs.ts";
import type { Inventory } from "../platforms/platform.ts";

/** Changes that plans since the last successful run listed: an interrupted command may be repeated unchanged, although some of them are done. */
export function plannedBefore(runs: readonly PastRun[]): Change[] {
  const changes: Change[] = [];
  for (const run of runs) {
    const events = run.events();
    for (const event of events)
      if (event.type === "result" && event.result.kind === "plan") changes.push(...event.result.changes);
    if (events.some((event) => event.type === "run.finished" && event.outcome === "ok")) break;
  }
  return changes;
}

/** Refuses names in flags that are neither in the config nor the names of existing machines. `before`: the runs before this one, newest first. */
export function unknownNodes(
  { env, found, plan }: { env: Pick<Environment, "config">; found: Inventory; plan: Plan },
  flags: Readonly<Record<string, readonly string[]>>,
  before: () => readonly PastRun[],
): TalosmithError[] {
  const asked = changesOf(plan).flatMap((change) => change.needsConsent ?? []);
  const machines = [...found.owned, ...(found.unseen ?? [])].map(({ name }) => name);
  const known = [...new Set([...asked, ...env.config.nodes.map(({ name }) => name), ...machines, ...(found.silent ?? [])])];
  const isGone = (name: string) =>
    plannedBefore(before()).some(({ verb, subject }) => verb !== "create" && subject.split(" ").includes(name));
  return Object.entries(flags).flatMap(([flag, names]) =>
    names
      .filter((name) => !known.includes(name) && !isGone(name))
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

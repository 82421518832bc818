import { type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import type { Plan, Planned } from "../engine/plan.ts";
import { STAGES, type Stage, type StepId, type WorkItem } from "../engine/step.ts";

/** The stages a person wants, both ends included. */
export interface Stages {
  from: Stage;
  until: Stage;
}

export const ALL_STAGES: Stages = { from: "preflight", until: "verify" };

const place = (stage: Stage) => STAGES.indexOf(stage);

export function includes({ from, until }: Stages, stage: Stage): boolean {
  return place(from) <= place(stage) && place(stage) <= place(until);
}

export function upTo(stage: Stage, items: readonly WorkItem[]): WorkItem[] {
  return items.filter((item) => place(item.stage) <= place(stage));
}

/**
 * The plan with only the wanted stages in it, and what they would need of the earlier ones. Those are looked at like always: when something
 * that is needed would have to change first, the wanted stages cannot start.
 */
export function fromStage(plan: Plan, { from }: Stages, again: string): { plan: Plan; unmet?: TalosmithError } {
  const early = (one: Planned) => place(one.item.stage) < place(from);
  const byId = new Map(plan.planned.map((one) => [one.item.id, one]));
  const needed = new Set<StepId>();
  const follow = (one: Planned): void => {
    for (const id of [...one.needs, ...one.after]) {
      const before = byId.get(id);
      if (!before || needed.has(id)) continue;
      needed.add(id);
      follow(before);
    }
  };
  for (const one of plan.planned) if (!early(one)) follow(one);
  const kept = plan.planned.filter((one) => !early(one) || needed.has(one.item.id));
  const unmet = kept.filter((one) => early(one) && one.changes.length > 0);
  return { plan: { planned: kept }, ...(unmet.length > 0 && { unmet: notMet(from, unmet, again) }) };
}

function notMet(from: Stage, unmet: readonly Planned[], again: string): TalosmithError {
  const last = unmet.map((one) => one.item.stage).reduce((a, b) => (place(a) > place(b) ? a : b));
  return userError("STAGE_NEEDS", {
    message: `Stage ${from} cannot start: what it needs is not there yet`,
    detail: unmet
      .flatMap((one) => one.changes.map((change) => `${one.item.stage}: ${WORDS[change.verb]} ${change.subject}`))
      .join("\n"),
    hint: `run the stages before it first:\n  ${again} --until ${last}\nor leave out --from and --only. Nothing was changed.`,
  });
}

const WORDS = {
  create: "to be made:",
  update: "to be changed:",
  restart: "to be restarted:",
  replace: "to be replaced:",
  delete: "to be removed:",
  run: "to be done:",
};

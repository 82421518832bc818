import { internalError, type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import { isOfChanges, type Plan, type Planned } from "../engine/plan.ts";
import { PREFLIGHT, type Stage, type StepId, type WorkItem } from "../engine/step.ts";

/** The stages of `up`, in order. */
export const STAGES: readonly Stage[] = [PREFLIGHT, "image", "generate", "provision", "bootstrap", "addons", "verify"];

/** A range of stages, both ends included. */
export interface Stages {
  /** All stages of the workflow; the stages of `up` when absent. */
  order?: readonly Stage[];
  from: Stage;
  until: Stage;
}

export const ALL_STAGES: Stages = { from: PREFLIGHT, until: "verify" };

/** Returns all stages of a workflow with other stages than `up`. */
export function allOf(order: readonly [Stage, ...Stage[]]): Stages {
  return { order, from: order[0], until: order.at(-1) ?? order[0] };
}

/** A stage's place in the workflow. */
function placeIn({ order = STAGES }: Stages): (stage: Stage) => number {
  return (stage) => {
    const place = order.indexOf(stage);
    if (place < 0) throw internalError("STAGE", { message: `There is no stage ${stage} among ${order.join(", ")}` });
    return place;
  };
}

export function includes(stages: Stages, stage: Stage): boolean {
  const place = placeIn(stages);
  return place(stages.from) <= place(stage) && place(stage) <= place(stages.until);
}

/** Items up to the last wanted stage, and items of later stages that these need: images need secrets.yaml, which a later stage creates. */
export function upTo(stages: Stages, items: readonly WorkItem[]): WorkItem[] {
  const place = placeIn(stages);
  const byId = new Map(items.map((item) => [item.id, item]));
  const kept = new Set<WorkItem>();
  const keep = (item: WorkItem): void => {
    if (kept.has(item)) return;
    kept.add(item);
    for (const { step } of item.needs) {
      const needed = byId.get(step);
      if (needed) keep(needed);
    }
  };
  for (const item of items) if (place(item.stage) <= place(stages.until)) keep(item);
  return items.filter((item) => kept.has(item));
}

/** Sorts items by the workflow's order of stages; items of one stage keep their order. */
export function byStage<T extends { stage: Stage }>(stages: Stages, items: readonly T[]): T[] {
  const place = placeIn(stages);
  return [...items].sort((a, b) => place(a.stage) - place(b.stage));
}

/**
 * Returns the plan with only the wanted stages, and the items of earlier stages that these need. If such an item has changes, the wanted
 * stages cannot start.
 */
export function fromStage(plan: Plan, stages: Stages, again: string): { plan: Plan; unmet?: TalosmithError } {
  const { from } = stages;
  const place = placeIn(stages);
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
  const changes = plan.planned.flatMap((one) => (!early(one) || needed.has(one.item.id) ? one.changes : []));
  const isNeeded = ({ item }: Planned) =>
    needed.has(item.id) || (isOfChanges(item) && changes.some((change) => item.before(change)));
  const kept = plan.planned.filter((one) => !early(one) || isNeeded(one));
  const unmet = kept.filter((one) => early(one) && one.changes.length > 0);
  return { plan: { planned: kept }, ...(unmet.length > 0 && { unmet: notMet(stages, unmet, again) }) };
}

/** The flags that choose these stages of `up`. */
export function stageFlags({ from, until }: Stages): string[] {
  if (from === until) return ["--only", from];
  return [...(from === ALL_STAGES.from ? [] : ["--from", from]), ...(until === ALL_STAGES.until ? [] : ["--until", until])];
}

function notMet(stages: Stages, planned: readonly Planned[], again: string): TalosmithError {
  const { from } = stages;
  const unmet = byStage(
    stages,
    planned.map(({ item, changes }) => ({ stage: item.stage, changes })),
  );
  const last = unmet.at(-1)?.stage;
  return userError("STAGE_NEEDS", {
    message: `Stage ${from} cannot start: what it needs does not exist yet`,
    detail: unmet
      .flatMap(({ stage, changes }) => changes.map((change) => `${stage}: ${WORDS[change.verb]} ${change.subject}`))
      .join("\n"),
    hint: `run the stages before it first:\n  ${again} --until ${last}\nor leave out --from and --only. Nothing was changed.`,
  });
}

const WORDS = {
  create: "to be created:",
  update: "to be changed:",
  restart: "to be restarted:",
  replace: "to be replaced:",
  delete: "to be removed:",
  run: "to be run:",
};

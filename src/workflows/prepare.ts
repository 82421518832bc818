import { type Pass, readContext, type Session } from "../engine/context.ts";
import type { Heading } from "../engine/event.ts";
import { makePlan, type Plan } from "../engine/plan.ts";
import type { PlanResult } from "../engine/result.ts";
import { STAGES, type Stage, type WorkItem } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import type { Redactor } from "../lib/secret.ts";
import type { Inventory, Platform } from "../platforms/platform.ts";
import { proxmoxPlatform } from "../platforms/proxmox/platform.ts";
import { readEnvironmentId } from "../steps/generate/secrets-bundle.ts";
import type { Workflow } from "./workflow.ts";

export function openPlatform(session: Session, env: Environment): Platform {
  return proxmoxPlatform(session.world, env);
}

export async function takeInventory(
  session: Session,
  env: Environment,
  platform: Platform,
  redactor: Redactor,
  pass: Pass = new Map(),
): Promise<Inventory> {
  return platform.inventory(readEnvironmentId(session.world, env, redactor), readContext(session, "inventory", new Map(), pass));
}

export interface Prepared {
  found: Inventory;
  items: WorkItem[];
  plan: Plan;
  result: PlanResult;
}

export interface Wish {
  workflow: Workflow;
  until: Stage;
  next: string[];
}

/** Finds out what there is and what a workflow would change about it, in one pass over reality. */
export async function prepare(
  session: Session,
  env: Environment,
  platform: Platform,
  redactor: Redactor,
  wish: Wish,
): Promise<Prepared> {
  const started = session.world.clock.monotonic();
  const callsBefore = platform.calls();
  const pass: Pass = new Map();
  const found = await takeInventory(session, env, platform, redactor, pass);
  const last = STAGES.indexOf(wish.until);
  const items = wish.workflow({ env, platform, found, redactor }).filter((item) => STAGES.indexOf(item.stage) <= last);
  const plan = await makePlan(items, session, pass);
  const notes = found.foreign.map(({ where, why }) => ({
    step: "inventory",
    level: "warn" as const,
    code: "FOREIGN_COPY",
    message: `${where} looks like ours but is ${why}; left alone`,
  }));
  const changes = plannedChanges(plan);
  const result: PlanResult = {
    kind: "plan",
    heading: headingOf(env),
    changes,
    notes: [
      ...notes,
      ...plan.planned.flatMap((one) =>
        one.findings.filter((note) => note.level !== "ok").map((note) => ({ ...note, step: one.item.id })),
      ),
    ],
    calls: platform.calls() - callsBefore,
    ms: Math.round(session.world.clock.monotonic() - started),
    next: changes.length > 0 ? wish.next : [],
  };
  return { found, items, plan, result };
}

function plannedChanges(plan: Plan): PlanResult["changes"] {
  const changing = new Map(plan.planned.filter((one) => one.changes.length > 0).map((one) => [one.item.id, one.item.title]));
  return plan.planned.flatMap((one) =>
    one.changes.map((change) => ({
      ...change,
      stage: one.item.stage,
      title: one.item.title,
      after: one.needs.flatMap((id) => changing.get(id) ?? []),
    })),
  );
}

export function headingOf(env: Environment): Heading {
  const { cluster, proxmox } = env.config;
  return {
    environment: cluster.name,
    platform: `proxmox ${new URL(proxmox.url).hostname}`,
    talos: cluster.talos,
    kubernetes: cluster.kubernetes,
    folder: env.shown,
  };
}

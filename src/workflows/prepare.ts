import type { Config } from "../config/config.ts";
import { type Pass, readContext, type Session } from "../engine/context.ts";
import type { Heading } from "../engine/event.ts";
import { errorsOf, makePlan, type Plan } from "../engine/plan.ts";
import type { PlanResult } from "../engine/result.ts";
import type { Environment } from "../environment/environment.ts";
import type { TalosmithError } from "../lib/errors.ts";
import type { Redactor } from "../lib/secret.ts";
import type { Inventory } from "../platforms/platform.ts";
import { readEnvironmentId } from "../steps/generate/secrets-bundle.ts";
import type { Access } from "./access.ts";
import { fromStage, type Stages, upTo } from "./stages.ts";
import type { Workflow } from "./workflow.ts";

export async function takeInventory(
  session: Session & { redactor: Redactor },
  env: Environment,
  { platform }: Access,
  pass: Pass = new Map(),
): Promise<Inventory> {
  const id = readEnvironmentId(session.world, env, session.redactor);
  return platform.inventory(id, readContext(session, "inventory", new Map(), pass));
}

export interface Prepared {
  found: Inventory;
  plan: Plan;
  result: PlanResult;
  /** What could not be found out, or is not there although it is needed. */
  problems: TalosmithError[];
}

export interface Wish {
  workflow: Workflow;
  stages: Stages;
  /** Addons that are no longer in the config and are to go. */
  removeAddons?: readonly string[];
  /** The command, as it would be typed again. */
  again: string;
  next: string[];
}

/** Finds out what there is and what a workflow would change about it, in one pass over reality. */
export async function prepare(
  session: Session & { redactor: Redactor },
  env: Environment,
  access: Access,
  wish: Wish,
): Promise<Prepared> {
  const started = session.world.clock.monotonic();
  const callsBefore = access.calls();
  const pass: Pass = new Map();
  const found = await takeInventory(session, env, access, pass);
  const items = upTo(
    wish.stages.until,
    wish.workflow({ env, found, redactor: session.redactor, ...access, removeAddons: wish.removeAddons ?? [] }),
  );
  const { plan, unmet } = fromStage(await makePlan(items, session, pass), wish.stages, wish.again);
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
    calls: access.calls() - callsBefore,
    ms: Math.round(session.world.clock.monotonic() - started),
    next: changes.length > 0 ? wish.next : [],
  };
  return { found, plan, result, problems: [...errorsOf(plan), ...(unmet ? [unmet] : [])] };
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
  const { cluster } = env.config;
  return {
    environment: cluster.name,
    platform: platformWords(env.config),
    talos: cluster.talos,
    kubernetes: cluster.kubernetes,
    folder: env.shown,
  };
}

function platformWords(config: Config): string {
  if (config.platform === "proxmox") return `proxmox ${new URL(config.proxmox.url).hostname}`;
  if (config.platform === "vps" && config.vps.provider) return `vps at ${config.vps.provider.name}`;
  return config.platform;
}

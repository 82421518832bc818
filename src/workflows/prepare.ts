import type { TalosmithError } from "@talosmith/lib/errors.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import { type Pass, readContext, type Session } from "../engine/context.ts";
import type { Heading } from "../engine/event.ts";
import { errorsOf, isComplete, makePlan, type Plan } from "../engine/plan.ts";
import type { PlanResult } from "../engine/result.ts";
import type { Finding, StepId } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import { upgradeFindings } from "../environment/pending-upgrade.ts";
import { pastRuns } from "../environment/runs.ts";
import { impactOf } from "../maintenance/impact.ts";
import { definitionOf } from "../platforms/all.ts";
import type { Inventory, Owned, Platform } from "../platforms/platform.ts";
import { readBundle, readEnvironmentId } from "../steps/generate/secrets-bundle.ts";
import { configsFrom } from "../steps/generate/wanted-configs.ts";
import { isOfRunning } from "../talos/health/running-node.ts";
import type { Access } from "./access.ts";
import { atRunningVersions } from "./running-versions.ts";
import { byStage, fromStage, type Stages, upTo } from "./stages.ts";
import { addonNamed, plannedIn } from "./unknown-names.ts";
import type { Workflow } from "./workflow.ts";

export async function takeInventory(
  session: Session & { redactor: Redactor },
  env: Environment,
  { platform }: Pick<Access, "platform">,
  pass: Pass = new Map(),
  beforeRemoval = false,
): Promise<Inventory> {
  const id = readEnvironmentId(session.world, env, session.redactor);
  return platform.inventory(id, readContext(session, "inventory", new Map(), pass), { beforeRemoval });
}

export interface Prepared {
  /** The environment, with the running releases if they differ from the config. */
  env: Environment;
  found: Inventory;
  plan: Plan;
  result: PlanResult;
  /** Errors of observations, and requirements that are not met. */
  problems: TalosmithError[];
  /** Whether the changes are all known despite the problems: then the plan is shown with them. */
  isComplete: boolean;
}

export interface Wish {
  workflow: Workflow;
  stages: Stages;
  /** Whether nodes keep the releases they run, and new nodes get the same. */
  keepsVersions?: boolean;
  /** Makes the environment that an operation works on, from the config and the inventory. */
  aim?(env: Environment, found: Inventory): Environment;
  /** Addons that are no longer in the config and are to be removed. */
  removeAddons?: readonly string[];
  /** Disruption budgets that do not count: "namespace/name". */
  ignoredBudgets?: readonly string[];
  /** Takes no snapshots of etcd: --no-snapshot. */
  noSnapshot?: boolean;
  /** Removes everything that the environment owns. */
  removesAll?: boolean;
  /** Called while it runs: whether problems cannot be consequences of changes. */
  atRest?: () => boolean;
  /** The command to type to run it again. */
  again: string;
  next: string[];
}

/** Takes the inventory and makes the plan of a workflow, in one pass over reality. */
export async function prepare(
  session: Session & { redactor: Redactor },
  written: Environment,
  access: Access,
  wish: Wish,
): Promise<Prepared> {
  const started = session.world.clock.monotonic();
  const callsBefore = access.calls();
  const { env, platform, found, pass } = await look(session, written, access, wish);
  const items = upTo(
    wish.stages,
    wish.workflow({
      ...{ env, found, redactor: session.redactor, ...access, platform, stages: wish.stages },
      removeAddons: (wish.removeAddons ?? []).map(addonNamed),
      wasRemoved: (addon) => plannedIn(pastRuns(session.world, written.folder)).some(({ subject }) => subject === addon),
      ignoredBudgets: wish.ignoredBudgets ?? [],
      takesSnapshots: !wish.noSnapshot,
      ...(wish.atRest && { atRest: wish.atRest }),
      notice: (message) => session.bus.emit({ type: "notice", level: "info", message }),
    }),
  );
  const { plan, unmet } = fromStage(await makePlan(items, session, pass), wish.stages, wish.again);
  const problems = [...errorsOf(plan), ...(unmet ? [unmet] : [])];
  const notes = found.foreign.map(({ where, why }) => ({
    step: "inventory",
    level: "warn" as const,
    code: "FOREIGN_COPY",
    message: `${where} looks like a machine of this environment but is ${why}; left alone`,
  }));
  const changes = byStage(wish.stages, plannedChanges(plan));
  const interrupted = [...new Set(changes.flatMap((change) => change.interrupts ?? []))];
  const impact = await impactOf(interrupted, env.config.nodes, access.kubernetes, session.signal, !wish.noSnapshot);
  const result: PlanResult = {
    kind: "plan",
    heading: headingOf(written),
    changes,
    ...(env.upgrade && { upgrade: env.upgrade }),
    notes: [
      ...upgradeNotes(env).map((note) => ({ ...note, step: "inventory" })),
      ...notes,
      ...impact.map((note) => ({ ...note, step: "inventory" })),
      ...plan.planned.flatMap((one) =>
        // A failed finding is an error of the plan.
        one.findings.filter((note) => note.level === "warn").map((note) => ({ ...note, step: one.item.id })),
      ),
    ],
    ...(problems.length > 0 && { problems: problems.length }),
    calls: access.calls() - callsBefore,
    ms: Math.round(session.world.clock.monotonic() - started),
    next: changes.length > 0 && problems.length === 0 ? wish.next : [],
  };
  return { env, found, plan, result, problems, isComplete: unmet === undefined && isComplete(plan) };
}

/** Takes the inventory, and finds the environment and platform for the releases that run. */
export async function look(
  session: Session & { redactor: Redactor },
  written: Environment,
  access: Access,
  { keepsVersions = false, aim, removesAll = false }: Pick<Wish, "keepsVersions" | "aim" | "removesAll"> = {
    keepsVersions: true,
  },
): Promise<{ env: Environment; platform: Platform; found: Inventory; pass: Pass }> {
  const { platform } = access;
  const pass: Pass = new Map();
  const found = await takeInventory(session, written, access, pass, removesAll);
  const c = readContext(session, "inventory", new Map(), pass);
  const aimed = aim ? aim(written, found) : written;
  const configs = () => configsFrom(aimed, platform, readBundle(session.world, aimed, session.redactor), session.redactor);
  const env = keepsVersions ? await atRunningVersions(aimed, access.talos, staying(aimed, found), configs, c) : aimed;
  if (env === written) return { env, platform, found, pass };
  const fitting = await access.platformFor(env);
  // Answers of the nodes stay valid for the other platform object; its knowledge of the machines does not.
  const again: Pass = new Map([...pass].filter(([key]) => isOfRunning(key)));
  return {
    env,
    platform: fitting,
    found: await takeInventory(session, env, { platform: fitting }, again, removesAll),
    pass: again,
  };
}

/** The inventory without machines that will be replaced: their releases do not count. */
function staying({ config }: Environment, found: Inventory): Inventory {
  const discards = new Map(config.nodes.map((node) => [node.name, node.discards]));
  const isReplaced = ({ name, instance }: Owned) => instance !== undefined && discards.get(name) === instance;
  const replaced = new Set(found.owned.filter(isReplaced).map(({ name }) => name));
  if (replaced.size === 0) return found;
  return { ...found, there: new Set([...found.there].filter((name) => !replaced.has(name))) };
}

/** Findings about releases and images that only an upgrade can change. */
export function upgradeNotes(env: Environment, level: "warn" | "fail" = "warn"): Finding[] {
  if (env.upgrade === undefined) return [];
  return upgradeFindings(env.upgrade, level, env.where(["cluster", env.upgrade.talos ? "talos" : "kubernetes"]));
}

function plannedChanges(plan: Plan): PlanResult["changes"] {
  const changing = new Map(plan.planned.filter((one) => one.changes.length > 0).map((one) => [one.item.id, one.item.title]));
  const before = needsOfNeeds(plan);
  return plan.planned.flatMap((one) => {
    if (one.changes.length === 0) return [];
    const needs = one.needs.filter((id) => changing.has(id));
    const last = needs.length < 2 ? needs : needs.filter((id) => !needs.some((other) => before(other).has(id)));
    const after = last.flatMap((id) => changing.get(id) ?? []);
    return one.changes.map((change) => ({ ...change, stage: one.item.stage, title: one.item.title, after }));
  });
}

/** Returns all steps that a step needs, directly or through others. */
function needsOfNeeds({ planned }: Plan): (id: StepId) => ReadonlySet<StepId> {
  const needs = new Map(planned.map((one) => [one.item.id, one.needs]));
  const known = new Map<StepId, ReadonlySet<StepId>>();
  const all = (id: StepId): ReadonlySet<StepId> => {
    const own = needs.get(id) ?? [];
    const found = known.get(id) ?? new Set(own.flatMap((need) => [need, ...all(need)]));
    known.set(id, found);
    return found;
  };
  return all;
}

export function headingOf(env: Environment): Heading {
  const { cluster } = env.config;
  return {
    environment: cluster.name,
    platform: definitionOf(env.config).words.heading(env.config),
    talos: cluster.talos,
    kubernetes: cluster.kubernetes,
    folder: env.shown,
  };
}

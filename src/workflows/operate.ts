import { asTalosmithError, userError } from "@talosmith/lib/errors.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { Session } from "../engine/context.ts";
import { deletionWords } from "../engine/deletion.ts";
import { openIntents, openJournal } from "../engine/journal.ts";
import { changesOf, type Plan } from "../engine/plan.ts";
import { runPlan, type StepResult } from "../engine/run.ts";
import type { Change } from "../engine/step.ts";
import { clockNotice, requireClock } from "../environment/clock.ts";
import { type Environment, openEnvironment } from "../environment/environment.ts";
import { lockEnvironment } from "../environment/lock.ts";
import { settle } from "../environment/place.ts";
import { createRun, type PastRun, pastRuns, type RunFolder } from "../environment/runs.ts";
import type { Inventory } from "../platforms/platform.ts";
import { readEnvironmentId } from "../steps/generate/secrets-bundle.ts";
import { type Access, openAccess } from "./access.ts";
import { unknownDisks, unnamedDisks } from "./foreign-disks.ts";
import { warn } from "./notices.ts";
import { headingOf, type Prepared, prepare, takeInventory, type Wish } from "./prepare.ts";
import type { Report } from "./report.ts";

/** A command that changes the world: how it is called, what it does, and how it speaks about it. */
export interface Operation {
  command: "up" | "down" | "images --prune" | "host prepare";
  wish: Omit<Wish, "next" | "again">;
  /** Names the person has allowed to be removed or replaced. */
  allowRemove: readonly string[];
  /** Disks that we did not make and that the person has named to be deleted: "worker-1/scsi5". */
  destroyDisks?: readonly string[];
  /** Nodes that may go with the only copy of Kubernetes volumes. */
  allowVolumeLoss?: readonly string[];
  /** It makes the login, and so can do without one. */
  withoutLogin?: true;
  /** What it reaches the world with, when that is not what everybody does. */
  open?(session: OperationSession, env: Environment): Promise<Access>;
  /** Refuses what can be told to be wrong without looking at the world. */
  check?(env: Environment): void;
  /** Shows the plan's reader what there is to decide; false = no. */
  confirm(plan: Prepared, env: Environment): Promise<boolean>;
  nothingToDo(env: Environment, found: Inventory): string;
  /** What is written down when all is as it should be. */
  record?(world: World, env: Environment, found: Inventory, redactor: Redactor): void;
  /** `found`: what there was before. */
  done(
    env: Environment,
    results: readonly StepResult[],
    changing: boolean,
    found: Inventory,
  ): { summary: string; next: string[] };
}

type OperationSession = Session & { redactor: Redactor };

/** Lock, look, show, ask, do, report. The same for everything that changes the world. */
export async function operate(session: OperationSession, folder: string, operation: Operation, report: Report): Promise<number> {
  const { world, bus } = session;
  const env = openEnvironment(world, folder, session.redactor, { withoutLogin: operation.withoutLogin ?? false });
  operation.check?.(env);
  requireClock(world);
  const lock = lockEnvironment(world, env.folder, operation.command);
  try {
    const moved = settle(world, env, idIfReadable(session, env));
    const last = pastRuns(world, env.folder)[0];
    const clock = clockNotice(world, env.folder);
    const run = createRun(world, env.folder);
    bus.keep(openJournal(world.files, run.journal, (error) => sayWhatIsNotKept(session, "the journal", error)));
    bus.listen(report.event);
    bus.emit({ type: "run.started", run: run.id, command: operation.command, heading: headingOf(env) });
    warn(session, env);
    if (moved) bus.emit({ type: "notice", level: "info", message: moved });
    if (clock) bus.emit({ type: "notice", level: "warn", ...clock });
    if (last) sayWhatWasCutOff(session, last);
    return await operateLocked({ ...session, mayMutate: () => lock.check() }, env, run, operation, report);
  } finally {
    lock.release();
  }
}

async function operateLocked(
  session: OperationSession,
  env: Environment,
  run: RunFolder,
  operation: Operation,
  report: Report,
): Promise<number> {
  const { bus, world } = session;
  const started = world.clock.monotonic();
  const finish = (outcome: "ok" | "failed" | "interrupted", summary: string, next: string[]): number => {
    const exitCode = outcome === "ok" ? 0 : outcome === "failed" ? 1 : 130;
    const ms = Math.round(world.clock.monotonic() - started);
    const shown = `${env.shown}/.talosmith/runs/${run.id}/report.md`;
    bus.emit({ type: "run.finished", run: run.id, outcome, exitCode, ms, summary, next, report: shown });
    try {
      run.write("report.md", report.markdown());
    } catch (error) {
      sayWhatIsNotKept(session, "the report", error);
    }
    return exitCode;
  };
  const record = (found: Inventory): void => {
    if (!operation.record) return;
    session.mayMutate();
    operation.record(world, env, found, session.redactor);
  };
  const again = `talosmith ${operation.command} ${env.shown}`;
  let access: Access | undefined;
  try {
    access = await (operation.open ?? openAccess)(session, env);
    const prepared = await prepare(session, env, access, { ...operation.wish, again, next: [] });
    const { plan, result, env: actual } = prepared;
    // All that could be done is done, and yet the cluster is not what the config says.
    const outcome = actual.upgrade ? "failed" : "ok";
    run.write("plan.json", `${JSON.stringify(session.redactor.value(result), null, 2)}\n`);
    const { destroyDisks = [] } = operation;
    const before = () => pastRuns(world, env.folder).filter(({ id }) => id !== run.id);
    const problems = [
      ...prepared.problems,
      ...unconsented(plan, operation),
      ...unnamedDisks(plan, destroyDisks),
      ...lostVolumes(plan, operation),
      // What could not be looked at may have it.
      ...(prepared.problems.length === 0 ? unknownDisks(plan, destroyDisks, before) : []),
    ];
    const worthShowing = result.changes.length + result.notes.length > 0;
    if (worthShowing && prepared.problems.length === 0) bus.emit({ type: "result", result });
    for (const problem of problems) bus.emit({ type: "error", error: problem.report() });
    if (problems.length > 0) return finish("failed", "nothing was changed", [again]);
    const changing = changesOf(plan).length > 0;
    if (!changing) record(prepared.found);
    if (!changing && !looksAfterwards(plan)) return finish(outcome, operation.nothingToDo(actual, prepared.found), []);
    if (changing && !(await operation.confirm(prepared, env)))
      return finish("failed", "not confirmed: nothing was changed", [again]);
    bus.emit({
      type: "steps",
      steps: prepared.plan.planned.map(({ item: { id, stage, title, kind } }) => ({ id, stage, title, kind })),
    });
    const results = await runPlan(plan, session);
    const failed = results.filter((one) => one.outcome === "failed");
    if (session.signal.aborted)
      return finish("interrupted", "interrupted; run the same command again to go on from here", [again]);
    if (failed.length > 0) return finish("failed", failedSummary(results), [again]);
    if (changing && operation.record) record(await takeInventory(session, env, access));
    const { summary, next } = operation.done(actual, results, changing, prepared.found);
    return finish(outcome, summary, next);
  } catch (error) {
    if (session.signal.aborted)
      return finish("interrupted", "interrupted; run the same command again to go on from here", [again]);
    bus.emit({ type: "error", error: asTalosmithError(error).report() });
    return finish("failed", "stopped; run the same command again to go on from here", [again]);
  } finally {
    access?.close();
  }
}

/** Checks that speak about what has been made are worth running when nothing had to be made. */
function looksAfterwards(plan: Plan): boolean {
  return plan.planned.some(({ item }) => item.kind === "check" && item.stage !== "preflight");
}

function unconsented(plan: Plan, operation: Operation) {
  const refused = changesOf(plan).filter((change) => change.needsConsent && !operation.allowRemove.includes(change.needsConsent));
  const names = [...new Set(refused.map((change) => change.needsConsent))];
  // Of all that happens to a node its machine's end comes last, and says the most.
  return names.flatMap((name) => {
    const last = refused.filter((change) => change.needsConsent === name).at(-1);
    return last ? [needsConsent(last, operation.command)] : [];
  });
}

function lostVolumes(plan: Plan, { allowVolumeLoss = [], command }: Operation) {
  return changesOf(plan).flatMap(({ interrupts, loses = [] }) => {
    if (interrupts === undefined || loses.length === 0 || allowVolumeLoss.includes(interrupts)) return [];
    return userError("VOLUMES_LOST", {
      message: `Unable to remove ${interrupts}: it has the only copy of ${loses.length} Kubernetes volume${loses.length === 1 ? "" : "s"}`,
      detail: loses.join("\n"),
      hint: `copy the data first; or let it go:  talosmith ${command} … --allow-volume-loss ${interrupts}. Nothing was changed.`,
    });
  });
}

function needsConsent(change: Change, command: string) {
  const fields = change.fields.map((field) => `${field.path}: ${String(field.from)} → ${String(field.to ?? "gone")}`);
  const deletes = (change.deletes ?? []).map((one) => `deletes ${deletionWords(one)}`);
  const lost = change.fields.some((field) => field.path === "etcd" && field.to === "lost");
  const replaced = change.verb === "replace";
  return userError("CONSENT_NEEDED", {
    message: `${
      replaced
        ? `${change.subject} would have to be replaced: removed with its disk, and made anew`
        : `${change.subject} is not in the config any more and would be removed with its disk`
    }${lost ? ". No control plane that stays has a copy of etcd: everything in the cluster would be lost with it" : ""}`,
    detail: [...fields, ...deletes].join("\n"),
    hint: `if that is what you want:  talosmith ${command} … --allow-remove ${change.needsConsent}\notherwise ${replaced ? "put the old value back into" : "put it back into"} the config. Nothing was changed.`,
  });
}

function failedSummary(results: readonly StepResult[]): string {
  const count = (outcome: StepResult["outcome"]) => results.filter((one) => one.outcome === outcome).length;
  const parts = [
    `${count("failed")} failed`,
    `${count("changed")} done`,
    ...(count("blocked") > 0 ? [`${count("blocked")} not begun because of it`] : []),
  ];
  return `${parts.join(", ")}; run the same command again to go on from here`;
}

/** What is wrong with a secrets.yaml is told by who needs what is in it. */
function idIfReadable({ world, redactor }: OperationSession, env: Environment): string | undefined {
  try {
    return readEnvironmentId(world, env, redactor);
  } catch {
    return undefined;
  }
}

/** What was done is done, whether or not it could be written down. */
function sayWhatIsNotKept({ bus }: Session, what: string, thrown: unknown): void {
  const { message, hint } = asTalosmithError(thrown);
  bus.emit({
    type: "notice",
    level: "warn",
    message: `${what} of this run is not complete. ${message}`,
    ...(hint !== undefined && { hint }),
  });
}

function sayWhatWasCutOff({ bus }: Session, last: PastRun): void {
  const { id } = last;
  const events = last.events();
  const gap = last.gap();
  if (gap !== undefined) bus.emit({ type: "notice", level: "warn", message: `the run ${id}: ${gap}` });
  const started = events.some((event) => event.type === "run.started");
  if (!started || events.some((event) => event.type === "run.finished")) return;
  const open = openIntents(events).map((intent) => intent.what);
  const detail = open.length > 0 ? `; on its way were: ${open.join(", ")}` : "";
  bus.emit({ type: "notice", level: "info", message: `the run ${id} was cut off${detail}. Going on from what is really there` });
}

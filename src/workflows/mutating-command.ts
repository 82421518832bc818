import { asTalosmithError } from "@talosmith/lib/errors.ts";
import { ownCommand, sameCommand } from "@talosmith/lib/own-command.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { Session } from "../engine/context.ts";
import { openIntents, openJournal } from "../engine/journal.ts";
import { changesOf, type Plan } from "../engine/plan.ts";
import { runPlan, type StepResult } from "../engine/run.ts";
import { clockNotice, requireClock } from "../environment/clock.ts";
import type { Environment } from "../environment/environment.ts";
import { lockEnvironment } from "../environment/lock.ts";
import { type OperationRecord, readOperation, removeOperation, writeOperation } from "../environment/operation-record.ts";
import { settle } from "../environment/place.ts";
import { createRun, type PastRun, pastRuns, type RunFolder } from "../environment/runs.ts";
import { keptSnapshots, shownSnapshot } from "../environment/snapshots.ts";
import { openEnvironment } from "../platforms/environment.ts";
import type { Inventory } from "../platforms/platform.ts";
import { readEnvironmentId } from "../steps/generate/secrets-bundle.ts";
import { type Access, openAccess } from "./access.ts";
import { type Consent, lostVolumes, unconsented, withConsent } from "./consent.ts";
import { unknownDisks, unnamedDisks } from "./foreign-disks.ts";
import { warn } from "./notices.ts";
import { type Operation, operationWords, resumedBy } from "./operation.ts";
import { idsAfter, type MachineIds, machineIds } from "./outputs.ts";
import { headingOf, type Prepared, prepare, type Wish } from "./prepare.ts";
import type { Report } from "./report.ts";
import { byStage } from "./stages.ts";
import { unknownNodes } from "./unknown-names.ts";

/** A command that changes something: its name, its workflow and its messages. */
export interface MutatingCommand extends Omit<Consent, "shown"> {
  /** The command as it is typed, without the folder: "up", "node replace". */
  command: string;
  wish: Omit<Wish, "next" | "again" | "aim" | "atRest">;
  /** Set for a command that must reach its end once it has begun. */
  operation?: Operation;
  /** Set for a command that may run while an interrupted operation is open. Returns whether its success ends that operation. */
  endsOperations?(found: Inventory): boolean;
  /** Disks that talosmith did not make and that a flag names for deletion: "worker-1/scsi5". */
  destroyDisks?: readonly string[];
  /** It creates the login, so it must run without one. */
  withoutLogin?: true;
  /** Opens other clients than the usual ones. */
  open?(session: CommandSession, env: Environment): Promise<Access>;
  /** Refuses an environment with problems that can be found without any call. */
  check?(env: Environment): void;
  /** Asks the user to confirm the plan. */
  confirm(plan: Prepared, env: Environment): Promise<boolean>;
  nothingToDo(env: Environment, found: Inventory): string;
  /** Writes the outputs once the workflow has succeeded. `ids`: the platform's ids of the machines. */
  record?(world: World, env: Environment, ids: MachineIds, redactor: Redactor): void;
  /** `found`: the inventory before the changes. */
  done(
    env: Environment,
    results: readonly StepResult[],
    changing: boolean,
    found: Inventory,
  ): { summary: string; next: string[] };
}

type CommandSession = Session & { redactor: Redactor };

/** Runs every command that changes something: lock, inventory and plan, confirmation, changes, report. */
export async function runMutatingCommand(
  session: CommandSession,
  folder: string,
  command: MutatingCommand,
  report: Report,
): Promise<number> {
  const { world, bus } = session;
  const env = openEnvironment(world, folder, session.redactor, { withoutLogin: command.withoutLogin ?? false });
  command.check?.(env);
  requireClock(world);
  const lock = lockEnvironment(world, env.folder, command.command);
  try {
    const open = readOperation(world.files, env);
    const resumed = command.endsOperations ? undefined : resumedBy(command.operation, open, env);
    const moved = settle(world, env, idIfReadable(session, env));
    const last = pastRuns(world, env.folder)[0];
    const clock = clockNotice(world, env.folder);
    const run = createRun(world, env.folder);
    bus.keep(openJournal(world.files, run.journal, (error) => sayWhatIsNotKept(session, "the journal", error)));
    bus.listen(report.event);
    bus.emit({ type: "run.started", run: run.id, command: command.command, heading: headingOf(env) });
    warn(session, env);
    if (moved) bus.emit({ type: "notice", level: "info", message: moved });
    if (clock) bus.emit({ type: "notice", level: "warn", ...clock });
    if (last) sayWhatWasCutOff(session, last);
    if (resumed) sayWhatIsResumed(session, resumed);
    return await runLocked({ ...session, mayMutate: () => lock.check() }, env, run, { ...command, resumed }, report);
  } finally {
    lock.release();
  }
}

async function runLocked(
  session: CommandSession,
  env: Environment,
  run: RunFolder,
  command: MutatingCommand & { resumed: OperationRecord | undefined },
  report: Report,
): Promise<number> {
  const { bus, world } = session;
  const { operation, resumed } = command;
  const started = world.clock.monotonic();
  const before = new Set(keptSnapshots(world.files, env.folder));
  /** Snapshots that this command took, named however it ends. */
  const snapshots = (): string =>
    keptSnapshots(world.files, env.folder)
      .filter((name) => !before.has(name))
      .map((name) => `\nsnapshot of etcd: ${shownSnapshot(env, name)}`)
      .join("");
  const finish = (outcome: "ok" | "failed" | "interrupted", ended: string, next: string[]): number => {
    const summary = `${ended}${snapshots()}`;
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
  const record = (ids: MachineIds): void => {
    if (!command.record) return;
    session.mayMutate();
    command.record(world, env, ids, session.redactor);
  };
  /** Writes the operation's record: from here on only its end, `abandon` or `down` removes it. */
  const begin = (actual: Environment): void => {
    session.mayMutate();
    if (!operation || resumed) return;
    const { kind, subject } = operation;
    const at = new Date(world.clock.now()).toISOString();
    writeOperation(world.files, env.folder, {
      kind,
      ...(subject !== undefined && { subject }),
      target: operation.target(actual),
      at,
    });
  };
  const end = (found: Inventory): void => {
    if (!operation && !command.endsOperations?.(found)) return;
    session.mayMutate();
    removeOperation(world.files, env.folder);
  };
  const again = sameCommand(command.command, env.shown, ...(operation?.subject === undefined ? [] : [operation.subject]));
  const past = () => pastRuns(world, env.folder).filter(({ id }) => id !== run.id);
  let access: Access | undefined;
  let hasBegun = false;
  let isAtRest = false;
  try {
    access = await (command.open ?? openAccess)(session, env);
    const prepared = await prepare(session, env, access, {
      ...command.wish,
      atRest: () => isAtRest,
      ...(operation && { aim: (written, found) => operation.aim(written, found, resumed?.target) }),
      again: ownCommand(command.command, env.shown),
      next: [],
    });
    const { plan, env: actual } = prepared;
    const result = withConsent(prepared.result, command);
    // With an upgrade pending the cluster differs from the config even when every step has succeeded.
    const outcome = actual.upgrade && !operation ? "failed" : "ok";
    run.write("plan.json", `${JSON.stringify(session.redactor.value(result), null, 2)}\n`);
    const { destroyDisks = [] } = command;
    const consent = { ...command, shown: env.shown };
    const problems = [
      ...prepared.problems,
      ...unconsented(plan, consent),
      ...unnamedDisks(plan, destroyDisks),
      ...lostVolumes(plan, consent),
      // A resource that could not be read may have the named disk, or be the named node.
      ...(prepared.problems.length === 0 ? unknownDisks(plan, destroyDisks, past) : []),
      ...(prepared.problems.length === 0 ? unknownNodes(prepared, namesIn(command), past) : []),
    ];
    const worthShowing = result.changes.length + result.notes.length > 0;
    if (worthShowing && prepared.isComplete) bus.emit({ type: "result", result });
    for (const problem of problems) bus.emit({ type: "error", error: problem.report() });
    if (problems.length > 0) return finish("failed", "nothing was changed", [again]);
    const changing = changesOf(plan).length > 0;
    if (!changing) {
      const endsOne = command.endsOperations?.(prepared.found) && readOperation(world.files, env) !== undefined;
      if (endsOne && !(await command.confirm(prepared, env)))
        return finish("failed", "not confirmed: nothing was changed", [again]);
      record(machineIds(prepared.found));
      end(prepared.found);
    }
    if (!changing && !looksAfterwards(plan)) return finish(outcome, command.nothingToDo(actual, prepared.found), []);
    if (changing && !(await command.confirm(prepared, env)))
      return finish("failed", "not confirmed: nothing was changed", [again]);
    if (changing) begin(actual);
    hasBegun = true;
    isAtRest = !changing && hasSucceeded(past()[0]);
    const steps = plan.planned.map(({ item: { id, stage, title, kind } }) => ({ id, stage, title, kind }));
    bus.emit({ type: "steps", steps: byStage(command.wish.stages, steps) });
    const results = await runPlan(plan, session);
    if (hasReachedItsTarget(plan, results)) end(prepared.found);
    const failed = results.filter((one) => one.outcome === "failed");
    if (session.signal.aborted)
      return finish("interrupted", "interrupted; run the same command again to go on from here", [again]);
    if (failed.length > 0) return finish("failed", failedSummary(results), [again]);
    if (changing) record(idsAfter(machineIds(prepared.found), env, access.platform, results));
    const { summary, next } = command.done(actual, results, changing, prepared.found);
    return finish(outcome, summary, next);
  } catch (error) {
    if (session.signal.aborted)
      return finish("interrupted", "interrupted; run the same command again to go on from here", [again]);
    bus.emit({ type: "error", error: asTalosmithError(error).report() });
    return finish("failed", hasBegun ? "stopped; run the same command again to go on from here" : "nothing was changed", [again]);
  } finally {
    access?.close();
  }
}

/** A failed check is an error of the command, but its operation is complete: it does not block other commands. */
function hasReachedItsTarget({ planned }: Plan, results: readonly StepResult[]): boolean {
  const checks = new Set(planned.flatMap(({ item }) => (item.kind === "check" ? [item.id] : [])));
  return results.every(({ id, outcome }) => checks.has(id) || outcome === "changed" || outcome === "unchanged");
}

/** Names of nodes by the flag that they were given in. */
const namesIn = ({ allowRemove, allowVolumeLoss = [] }: MutatingCommand) => ({
  "--allow-remove": allowRemove,
  "--allow-volume-loss": allowVolumeLoss,
});

function hasSucceeded(run: PastRun | undefined): boolean {
  return run?.events().some((event) => event.type === "run.finished" && event.outcome === "ok") ?? false;
}

/** Whether the plan has checks of the result, which run even if nothing had to be changed. */
function looksAfterwards(plan: Plan): boolean {
  return plan.planned.some(({ item }) => item.kind === "check" && item.stage !== "preflight");
}

function failedSummary(results: readonly StepResult[]): string {
  const count = (outcome: StepResult["outcome"]) => results.filter((one) => one.outcome === outcome).length;
  const parts = [
    `${count("failed")} failed`,
    `${count("changed")} done`,
    ...(count("blocked") > 0 ? [`${count("blocked")} not started because of it`] : []),
  ];
  return `${parts.join(", ")}; run the same command again to go on from here`;
}

/** The environment's id; undefined if secrets.yaml cannot be read, which the steps that need it report. */
function idIfReadable({ world, redactor }: CommandSession, env: Environment): string | undefined {
  try {
    return readEnvironmentId(world, env, redactor);
  } catch {
    return undefined;
  }
}

/** Warns that a file of the run is incomplete; the changes themselves stand. */
function sayWhatIsNotKept({ bus }: Session, what: string, thrown: unknown): void {
  const { message, hint } = asTalosmithError(thrown);
  bus.emit({
    type: "notice",
    level: "warn",
    message: `${what} of this run is not complete. ${message}`,
    ...(hint !== undefined && { hint }),
  });
}

function sayWhatIsResumed({ bus }: Session, open: OperationRecord): void {
  bus.emit({ type: "notice", level: "info", message: `resuming "${operationWords(open)}", which began at ${open.at}` });
}

function sayWhatWasCutOff({ bus }: Session, last: PastRun): void {
  const { id } = last;
  const events = last.events();
  const gap = last.gap();
  if (gap !== undefined) bus.emit({ type: "notice", level: "warn", message: `the run ${id}: ${gap}` });
  const started = events.some((event) => event.type === "run.started");
  if (!started || events.some((event) => event.type === "run.finished")) return;
  const open = openIntents(events).map((intent) => intent.what);
  const detail = open.length > 0 ? `; unfinished changes: ${open.join(", ")}` : "";
  bus.emit({
    type: "notice",
    level: "info",
    message: `the run ${id} did not finish${detail}. Continuing from the current state`,
  });
}

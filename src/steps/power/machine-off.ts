import { hasCode, remoteError, TalosmithError } from "@talosmith/lib/errors.ts";
import { type Condition, type Read, type Ref, type Stage, type Step, step, type Write } from "../../engine/step.ts";
import type { Owned } from "../../platforms/platform.ts";
import type { ControlPlaneTurns } from "./control-plane-turns.ts";
import { type PowerState, powerState, type Switch } from "./power-state.ts";

/** Stopping pods and services takes a node a minute or two; a pod with a long grace period may take longer. */
const SHUTDOWN_MS = 5 * 60_000;

/** A machine that is on and does not answer may be booting. */
const ANSWERS_MS = 2 * 60_000;

export interface Off extends Switch {
  owned: Owned;
  stage: Stage;
  needs: readonly Ref<unknown>[];
  /** Set for a control plane. */
  turns?: ControlPlaneTurns;
}

export const machineOffStep = (name: string) => `off/${name}`;

/** Switches a machine off: through Talos, or through the platform when Talos does not answer or does not finish. */
export function machineOff(off: Off): Step<PowerState, void> {
  const { owned, stage, needs, turns } = off;
  const { name, subject } = owned;
  const id = machineOffStep(name);
  let hasGone = false;
  return step({
    id,
    stage,
    title: subject,
    needs,
    observe: async (c) => {
      const actual = await powerState(off, owned, c);
      turns?.saw(owned, isOff(actual));
      return { is: "present", actual, owner: "us" };
    },
    plan: (seen) => {
      if ("is" in seen && seen.is === "present" && isOff(seen.actual)) return [];
      return [{ id, step: id, verb: "update", subject, fields: [{ path: "running", from: true, to: false }] }];
    },
    notes: (seen) => (seen.is === "present" && !hasGone ? notesOf(owned, seen.actual) : []),
    apply: async (_, c) => {
      await turns?.begin(owned, c);
      // After an error it keeps its turn: the step observes again, or fails, and then no other machine is switched off.
      await switchOff(off, c);
      hasGone = true;
      turns?.end(owned);
    },
    output: () => undefined,
  });
}

/** A machine that neither Talos nor the platform can see is taken to be off. */
function isOff({ is }: PowerState): boolean {
  return is === "off" || is === "gone" || is === "unknown";
}

function notesOf({ name, where }: Owned, actual: PowerState) {
  const note = (code: string, message: string) => [{ level: "warn" as const, code, message }];
  switch (actual.is) {
    case "silent":
      return note("TALOS_SILENT", `${name} runs and Talos does not answer (${actual.why}): it is shut down through its platform`);
    case "unknown":
      return note("POWER_UNKNOWN", `${name} (${where}) does not answer and is assumed to be off: ${actual.why}`);
    case "gone":
      return note("MACHINE_GONE", `${name} (${where}) is left unchanged: ${actual.why}`);
    default:
      return [];
  }
}

async function switchOff(off: Off, c: Write): Promise<void> {
  const { owned, control } = off;
  const isShuttingDown = (await control?.restartsItself(owned, c)) !== true && (await shutDownByTalos(off, c));
  if (isShuttingDown && (await goesOff(off, c))) return;
  if (!control) throw stillOn(owned);
  await control.off(owned, c);
}

/** Shuts down without a drain, since no node is left for the pods. After a lost response the step observes again. */
async function shutDownByTalos(off: Off, c: Write): Promise<boolean> {
  const { owned, talos, control } = off;
  const now = await onceBooted(off, c);
  if (now.is === "silent") c.say(`Talos does not answer: ${now.why}`);
  if (now.is !== "running") return now.is !== "silent";
  c.say("shutting down");
  try {
    await c.mutate({ key: `node ${owned.name}`, what: `shut down ${owned.name}` }, () =>
      talos.node(owned.address).shutdown({ force: true }, c.signal),
    );
    return true;
  } catch (error) {
    if (!(error instanceof TalosmithError) || error.transient || !control) throw error;
    c.say(`Talos refuses to shut down: ${error.detail ?? error.message}`);
    return false;
  }
}

/** Its power must not be cut while it boots. */
async function onceBooted(off: Off, c: Write): Promise<PowerState> {
  const { owned } = off;
  let now: PowerState = await powerState(off, owned, c);
  const poll = async () => {
    now = await powerState(off, owned, c);
    return now.is === "silent" ? { reason: now.why } : (true as const);
  };
  if (now.is !== "silent") return now;
  await c.until({ name: `Talos answers on ${owned.name}`, timeoutMs: ANSWERS_MS, poll }).catch(onTimeout);
  return now;
}

function onTimeout(error: unknown): void {
  if (!hasCode(error, "TIMEOUT")) throw error;
}

async function goesOff(off: Off, c: Write): Promise<boolean> {
  try {
    await c.until(offCondition(off, c));
    return true;
  } catch (error) {
    if (!hasCode(error, "TIMEOUT")) throw error;
    c.say(`Talos has not finished shutting down after ${SHUTDOWN_MS / 60_000} min`);
    return false;
  }
}

function offCondition(off: Off, c: Read): Condition {
  const { owned } = off;
  const WORDS = {
    running: "it has not begun to shut down",
    stopping: "Talos stops its pods and services",
    silent: "Talos has stopped",
  };
  return {
    name: `${owned.name} is off`,
    timeoutMs: SHUTDOWN_MS,
    // The condition's context would cache the first result.
    poll: async () => {
      const now = await powerState(off, owned, c);
      return isOff(now) ? true : { reason: WORDS[now.is as keyof typeof WORDS] };
    },
  };
}

function stillOn({ name, where }: Owned) {
  return remoteError("STILL_RUNNING", {
    message: `Unable to shut down ${name} (${where}): it still answers after ${SHUTDOWN_MS / 60_000} min`,
    hint: "look at its console; switch it off there, then run the same command again",
  });
}

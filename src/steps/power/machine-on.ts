import { remoteError } from "@talosmith/lib/errors.ts";
import { ownCommand, typedEnvironment } from "@talosmith/lib/own-command.ts";
import { type Ref, type Stage, type Step, step, type Write } from "../../engine/step.ts";
import type { Owned } from "../../platforms/platform.ts";
import { type PowerState, powerState, type Switch } from "./power-state.ts";

const MINUTE = 60_000;
/** Firmware with much memory to test takes minutes. */
const BOOT_MS = 10 * MINUTE;
/** A person has to walk there. */
export const BY_HAND_MS = 30 * MINUTE;
/** A machine that is still shutting down has to be switched on once it is off. */
const ROUNDS = 3;

export interface On extends Switch {
  owned: Owned;
  stage: Stage;
  needs: readonly Ref<unknown>[];
}

/** Switches a machine on and waits for Talos. When no platform can switch it on, it only waits. */
export function machineOn(on: On): Step<PowerState, void> {
  const { owned, stage, needs, control } = on;
  const id = `on/${owned.name}`;
  const { subject } = owned;
  return step<PowerState, void>({
    id,
    stage,
    title: subject,
    needs,
    observe: async (c) => {
      const actual = await powerState(on, owned, c);
      return actual.is === "gone" ? { is: "unreadable", why: gone(owned, actual.why) } : { is: "present", actual, owner: "us" };
    },
    plan: (seen) => {
      if ("is" in seen && seen.is === "present" && seen.actual.is === "running") return [];
      return [{ id, step: id, verb: "update", subject, fields: [{ path: "running", from: false, to: true }] }];
    },
    guard: async (_, c) => (await control?.guard(owned, c)) ?? [],
    apply: (_, c) => switchOn(on, c),
    output: () => undefined,
  });
}

async function switchOn(on: On, c: Write): Promise<void> {
  const { owned, control } = on;
  for (let round = 1; round <= ROUNDS; round++) {
    const now = await powerState(on, owned, c);
    if (now.is === "off" && control) await control.on(owned, c);
    if ((await answersOrGoes(on, c)) === "running") return;
  }
  throw remoteError("STAYS_OFF", {
    message: `Unable to start ${owned.name}: each time it was switched on it went off again`,
    hint: `look at its console (${owned.where}), then run the same command again`,
  });
}

/** A machine that was shutting down goes off instead. */
async function answersOrGoes(on: On, c: Write): Promise<PowerState["is"]> {
  const { owned, control } = on;
  let last: PowerState = { is: "off" };
  await c.until({
    name: `${owned.name} answers`,
    timeoutMs: control ? BOOT_MS : BY_HAND_MS,
    // The condition's context would cache the first result.
    poll: async () => {
      last = await powerState(on, owned, c);
      if (last.is === "running" || last.is === "off") return true;
      if (last.is === "gone") throw gone(owned, last.why);
      return { reason: reasonOf(on, last) };
    },
  });
  return last.is;
}

function reasonOf({ owned, control }: On, state: Exclude<PowerState, { is: "running" | "off" | "gone" }>): string {
  if (state.is === "stopping") return "it is still shutting down";
  return control ? `Talos does not answer: ${state.why}` : `switch on ${owned.name} (${owned.where}): ${state.why}`;
}

function gone({ name, where }: Owned, why: string) {
  return remoteError("MACHINE_GONE", {
    message: `Unable to start ${name} (${where}): ${why}`,
    hint: `to see what the config asks for:  ${ownCommand("plan", typedEnvironment())}\nto abandon an interrupted start:  ${ownCommand("abandon", typedEnvironment())}`,
  });
}

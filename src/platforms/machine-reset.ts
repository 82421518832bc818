import { type Condition, type Read, type Step, step, type Write } from "../engine/step.ts";
import type { TalosNodes } from "../talos/api/talos-nodes.ts";
import type { Owned } from "./platform.ts";

const RESET_LIMIT_MS = 10 * 60_000;

export interface Reset {
  /** Whether to wipe the whole system disk, with Talos, so that the machine boots nothing any more. Otherwise it returns to maintenance mode. */
  readonly whole: boolean;
  /** Called right before the reset. */
  begin?(c: Write): void;
  /** The reason why a silent machine may still have the cluster's data. */
  doubt?(silent: string, c: Read): Error | undefined;
}

/** Removes the cluster's data from a machine that talosmith did not create and does not delete. */
export function machineReset(owned: Owned, talos: TalosNodes, { whole, begin, doubt }: Reset): Step<Owned, void> {
  const { name, address, subject } = owned;
  const id = `reset/${name}`;
  const field = whole
    ? { path: "disk", from: "system disk wiped, server kept", to: null }
    : { path: "disk", from: "config and data", to: "wiped" };
  return step({
    id,
    stage: "provision",
    title: subject,
    observe: async (c) => {
      const answering = await talos.probe(address, c.signal);
      if (answering.is === "ours") return { is: "present", actual: owned, owner: "us" };
      const why = answering.is === "silent" ? doubt?.(answering.why, c) : undefined;
      return why ? { is: "unreadable", why } : { is: "absent" };
    },
    plan: (seen) => ("is" in seen && seen.is === "present" ? [{ id, step: id, verb: "delete", subject, fields: [field] }] : []),
    apply: async (_, c) => {
      begin?.(c);
      await wipeMachine(owned, talos, whole, c);
    },
    settle: [whole ? isGone(owned, talos) : isWaiting(owned, talos)],
    output: () => undefined,
  });
}

/** Starts the reset and returns. `whole`: see `Reset`. */
export async function wipeMachine({ name, address }: Place, talos: TalosNodes, whole: boolean, c: Write): Promise<void> {
  c.say(whole ? "wiping its system disk" : "wiping its config and data");
  await c.mutate({ key: `node ${name}`, what: `${whole ? "wipe" : "reset"} ${name}` }, async () => {
    await talos.node(address).reset({ graceful: false, reboot: true, whole }, c.signal);
    return name;
  });
}

type Place = Pick<Owned, "name" | "address">;

export function isWaiting({ name, address }: Place, talos: TalosNodes): Condition {
  return {
    name: `${name} is back in maintenance mode`,
    timeoutMs: RESET_LIMIT_MS,
    poll: async ({ signal }) => {
      const answering = await talos.probe(address, signal);
      if (answering.is === "waiting") return true;
      return { reason: answering.is === "ours" ? "it has not begun yet" : answering.why };
    },
  };
}

function isGone({ name, address }: Owned, talos: TalosNodes): Condition {
  return {
    name: `Talos is gone from ${name}`,
    timeoutMs: RESET_LIMIT_MS,
    poll: async ({ signal }) =>
      (await talos.probe(address, signal)).is === "ours" ? { reason: "it has not finished yet" } : true,
  };
}

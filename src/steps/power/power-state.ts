import type { Read } from "../../engine/step.ts";
import type { Owned, PowerControl } from "../../platforms/platform.ts";
import { textOf } from "../../talos/api/spec.ts";
import type { Answered, TalosNodes } from "../../talos/api/talos-nodes.ts";
import { MACHINE_STATUS } from "../../talos/health/reports.ts";

/** The means to observe and switch a machine. */
export interface Switch {
  talos: TalosNodes;
  /** Absent when the user has to switch machines on. */
  control: PowerControl | undefined;
}

export type PowerState =
  /** Talos answers, and is not shutting down. */
  | { is: "running" }
  /** Talos is shutting down. */
  | { is: "stopping" }
  /** The platform says that it is on, and Talos does not answer. */
  | { is: "silent"; why: string }
  | { is: "off" }
  /** Talos does not answer, and no platform can say whether it is on. */
  | { is: "unknown"; why: string }
  /** Its machine does not exist, or is a different one. */
  | { is: "gone"; why: string };

export async function powerState({ talos, control }: Switch, owned: Owned, c: Read): Promise<PowerState> {
  const power = (await control?.state(owned, c)) ?? "unknown";
  if (power === "off") return { is: "off" };
  if (power === "gone") return { is: "gone", why: "it does not exist any more" };
  const answering = await stageOf(talos, owned.address, c);
  if (answering.is === "ours") return { is: answering.answer === "shutting down" ? "stopping" : "running" };
  const why = answering.is === "waiting" ? "it waits for a config" : answering.why;
  if (power === "on") return { is: "silent", why };
  return answering.is === "silent" ? { is: "unknown", why } : { is: "gone", why };
}

/** One lost answer does not prove that a machine is off. */
async function stageOf(talos: TalosNodes, address: string, c: Read): Promise<Answered<string | undefined>> {
  const ask = () =>
    talos.ask(address, async (node) => textOf((await node.resource(MACHINE_STATUS, c.signal))?.spec, "stage"), c.signal);
  const first = await ask();
  return first.is === "silent" ? ask() : first;
}

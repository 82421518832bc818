import { TalosmithError } from "@talosmith/lib/errors.ts";
import { ownCommand, typedEnvironment } from "@talosmith/lib/own-command.ts";
import { type Check, check, type Finding, type Read, type Stage } from "../../engine/step.ts";
import type { Owned } from "../../platforms/platform.ts";
import { powerState, type Switch } from "./power-state.ts";

/** As long as `stop` gives a machine. */
const LIMIT_MS = 5 * 60_000;

/**
 * Waits for machines that an interrupted `stop` is still shutting down. The platform calls such a machine running, so the next `up` would not switch it on
 * and would wait for a node that goes off.
 */
export function shutdownsEnded(of: Switch & { machines: readonly Owned[]; stage: Stage }): Check {
  return check({
    id: "power/shutdowns-ended",
    stage: of.stage,
    title: "machines that are shutting down",
    run: async (c) => (await Promise.all(of.machines.map((owned) => ended(of, owned, c)))).flat(),
  });
}

async function ended(of: Switch, owned: Owned, c: Read): Promise<Finding[]> {
  const poll = async () => {
    const { is } = await powerState(of, owned, c);
    if (is === "stopping") return { reason: "Talos stops its pods and services" };
    return is === "silent" ? { reason: "Talos does not answer, and the machine is on" } : (true as const);
  };
  try {
    await c.until({ name: `${owned.name} has shut down`, timeoutMs: LIMIT_MS, poll });
    return [];
  } catch (error) {
    if (!(error instanceof TalosmithError && error.code === "TIMEOUT")) throw error;
    return [
      {
        level: "warn",
        code: "STILL_RUNNING",
        message: `${owned.name} (${owned.where}) has not shut down after ${LIMIT_MS / 60_000} min`,
        hint: `look at its console, and switch it off there if it hangs; to start it again:  ${ownCommand("up", typedEnvironment())}`,
      },
    ];
  }
}

import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Session } from "../engine/context.ts";
import { ControlPlaneTurns } from "../steps/power/control-plane-turns.ts";
import { machineOff } from "../steps/power/machine-off.ts";
import { whatStops } from "../steps/power/what-stops.ts";
import { runMutatingCommand } from "../workflows/mutating-command.ts";
import type { Report } from "../workflows/report.ts";
import { allOf } from "../workflows/stages.ts";
import type { Workflow } from "../workflows/workflow.ts";
import { machinesInWords, type PowerTarget, powerOperation } from "./power-target.ts";

const WORKERS = "workers";
const CONTROL_PLANES = "control planes";
const STAGES = allOf(["preflight", WORKERS, CONTROL_PLANES]);

export interface StopWish {
  /** Volumes may lack copies. */
  allowDegraded: boolean;
  confirm(): Promise<boolean>;
}

/** Everything `stop` does: all workers at once; when they are off, the control planes one after the other, etcd's leader last. */
function stop(target: () => PowerTarget, allowDegraded: boolean): Workflow {
  return ({ platform, talos, kubernetes }) => {
    const { machines, hasBegun } = target();
    const how = { talos, control: platform.power };
    const turns = new ControlPlaneTurns(talos);
    const workers = machines
      .filter(({ role }) => role !== "controlplane")
      .map((owned) => machineOff({ ...how, owned, stage: WORKERS, needs: [] }));
    const needs = workers.map(({ out }) => out);
    return [
      ...(machines.length > 0 ? [whatStops({ kubernetes, hasBegun, allowDegraded })] : []),
      ...workers,
      ...machines
        .filter(({ role }) => role === "controlplane")
        .map((owned) => machineOff({ ...how, owned, stage: CONTROL_PLANES, needs, turns })),
    ];
  };
}

/** `talosmith stop`: shuts down all machines of a cluster. */
export function stopCluster(
  session: Session & { redactor: Redactor },
  folder: string,
  { allowDegraded, confirm }: StopWish,
  report: Report,
): Promise<number> {
  const operation = powerOperation(session, "stop");
  return runMutatingCommand(
    session,
    folder,
    {
      command: "stop",
      operation,
      wish: { workflow: stop(operation.current, allowDegraded), stages: STAGES },
      allowRemove: [],
      confirm,
      nothingToDo: ({ config: { cluster } }) =>
        operation.current().machines.length === 0 ? `${cluster.name} has no machines` : `${cluster.name} is off already`,
      done: ({ config, shown }) => ({
        summary: `${config.cluster.name} is off: ${machinesInWords(operation.current().machines)}`,
        next: [ownCommand("start", shown)],
      }),
    },
    report,
  );
}

import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Session } from "../engine/context.ts";
import type { Owned } from "../platforms/platform.ts";
import { controlPlane, controlPlaneServes } from "../steps/power/control-plane-serves.ts";
import { machineOn } from "../steps/power/machine-on.ts";
import { nodesBack } from "../steps/power/nodes-back.ts";
import { switchedByHand } from "../steps/power/switched-by-hand.ts";
import { uncordoned } from "../steps/power/uncordoned.ts";
import { verifyChecks } from "../steps/verify/checks.ts";
import { runMutatingCommand } from "../workflows/mutating-command.ts";
import type { Prepared } from "../workflows/prepare.ts";
import type { Report } from "../workflows/report.ts";
import { allOf } from "../workflows/stages.ts";
import type { Workflow } from "../workflows/workflow.ts";
import { machinesInWords, type PowerTarget, powerOperation } from "./power-target.ts";

const CONTROL_PLANES = "control planes";
const WORKERS = "workers";
const NODES = "nodes";
const STAGES = allOf(["preflight", CONTROL_PLANES, WORKERS, NODES, "verify"]);

export interface StartWish {
  confirm(plan: Prepared): Promise<boolean>;
}

/** Everything `start` does: all control planes at once; when etcd and the Kubernetes API are back, the workers; then the checks of `verify`. */
function start(target: () => PowerTarget): Workflow {
  return ({ env, platform, talos, kubernetes, near, redactor }) => {
    const { machines } = target();
    if (machines.length === 0) return [];
    const how = { talos, control: platform.power };
    const isControlPlane = ({ role }: Owned) => role === "controlplane";
    const first = machines.filter(isControlPlane);
    const controlPlanes = first.map((owned) => machineOn({ ...how, owned, stage: CONTROL_PLANES, needs: [] }));
    const workers = machines
      .filter((one) => !isControlPlane(one))
      .map((owned) => machineOn({ ...how, owned, stage: WORKERS, needs: [controlPlane] }));
    const all = [...controlPlanes, ...workers].map(({ out }) => out);
    const open = uncordoned(kubernetes, NODES, [...all, controlPlane]);
    const back = nodesBack({ machines, stage: NODES, needs: [...all, controlPlane], talos, kubernetes });
    return [
      ...(platform.power ? [] : [switchedByHand(how, machines)]),
      ...controlPlanes,
      controlPlaneServes({
        machines: first,
        stage: CONTROL_PLANES,
        after: controlPlanes.map(({ out }) => out),
        talos,
        kubernetes,
      }),
      ...workers,
      open,
      back,
      ...verifyChecks({ env, talos, kubernetes, near, redactor, after: [open.out, { step: back.id }] }),
    ];
  };
}

/** `talosmith start`: starts all machines of a cluster. */
export function startCluster(
  session: Session & { redactor: Redactor },
  folder: string,
  { confirm }: StartWish,
  report: Report,
): Promise<number> {
  const operation = powerOperation(session, "start");
  return runMutatingCommand(
    session,
    folder,
    {
      command: "start",
      operation,
      wish: { workflow: start(operation.current), stages: STAGES },
      allowRemove: [],
      confirm,
      nothingToDo: ({ config, shown }) =>
        `${config.cluster.name}: there are no machines to start; ${ownCommand("up", shown)} creates them`,
      done: ({ config, shown }, _, changing) => ({
        summary: `${config.cluster.name} is running: ${machinesInWords(operation.current().machines)}${changing ? "" : "; nothing had to be started"}`,
        next: [ownCommand("status", shown)],
      }),
    },
    report,
  );
}

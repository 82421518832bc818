import { userError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Session } from "../engine/context.ts";
import { type Check, check, type Finding, PREFLIGHT, type Read } from "../engine/step.ts";
import { type OperationRecord, readOperation } from "../environment/operation-record.ts";
import type { KubernetesClient } from "../kubernetes/client/kubernetes-client.ts";
import type { Node } from "../kubernetes/objects.ts";
import { openEnvironment } from "../platforms/environment.ts";
import type { Inventory, Owned } from "../platforms/platform.ts";
import { shutdownsEnded } from "../steps/power/shutdowns-ended.ts";
import { uncordoned } from "../steps/power/uncordoned.ts";
import { runMutatingCommand } from "../workflows/mutating-command.ts";
import { operationWords, resumeCommand } from "../workflows/operation.ts";
import type { Report } from "../workflows/report.ts";
import { allOf } from "../workflows/stages.ts";
import type { Given, Workflow } from "../workflows/workflow.ts";
import { NODE_REPLACE, type ReplaceTarget } from "./node-replace.ts";

const NODES = "nodes";

/** `talosmith abandon`: gives up an interrupted operation, unless that would leave the cluster half changed. */
export async function abandonOperation(
  session: Session & { redactor: Redactor },
  folder: string,
  wish: { confirm(words: string): Promise<boolean> },
  report: Report,
): Promise<number> {
  const { world, bus, redactor } = session;
  const open = readOperation(world.files, openEnvironment(world, folder, redactor));
  if (open === undefined) {
    bus.emit({ type: "notice", level: "info", message: "no operation was interrupted: there is nothing to abandon" });
    return 0;
  }
  const words = operationWords(open);
  return runMutatingCommand(
    session,
    folder,
    {
      command: "abandon",
      endsOperations: () => true,
      wish: { workflow: givingUp(open), stages: allOf([PREFLIGHT, NODES]) },
      allowRemove: [],
      confirm: () => wish.confirm(words),
      nothingToDo: ({ shown }) => `"${words}" is abandoned; ${ownCommand("plan", shown)} shows what the config asks for`,
      done: ({ shown }) => ({ summary: `"${words}" is abandoned`, next: [ownCommand("plan", shown)] }),
    },
    report,
  );
}

/** Makes the workflow of `abandon`. An interrupted `stop` or `start` can always be abandoned: no machine is left half changed. */
export function givingUp(open: OperationRecord): Workflow {
  return (given) => {
    const { kind, subject } = open;
    if (kind === "stop" || kind === "start") {
      const { talos, platform, found } = given;
      return [shutdownsEnded({ talos, control: platform.power, machines: found.owned, stage: PREFLIGHT })];
    }
    if (kind !== NODE_REPLACE || subject === undefined) throw unknownOperation(open, given.env.shown);
    const old = oldMachine(open, subject, given.found);
    // An interrupted drain leaves a cordon behind. Once the node is gone nothing depends on it, and `up` removes cordons, too.
    return [betweenMilestones(open, subject, given), ...(old ? [uncordoned(given.kubernetes, NODES, [])] : [])];
  };
}

function unknownOperation(open: OperationRecord, shown: string) {
  return userError("OPERATION_UNREADABLE", {
    message: `Unable to abandon "${operationWords(open)}": this version of talosmith does not know it`,
    hint: `use the talosmith that began it:  ${resumeCommand(open, shown)}. Nothing was changed.`,
  });
}

function oldMachine({ target }: OperationRecord, node: string, { owned }: Inventory): Owned | undefined {
  const { instance } = target as ReplaceTarget;
  return owned.find((one) => one.name === node && one.instance === instance);
}

/** Refuses between two milestones: the old machine has left the cluster but still exists. Then only resuming helps. */
function betweenMilestones(open: OperationRecord, name: string, { env, found, talos, kubernetes }: Given): Check {
  const others = env.config.nodes.filter((node) => node.role === "controlplane" && node.name !== name);
  /** Undefined when no control plane answers. */
  const isMember = async (c: Read): Promise<boolean | undefined> => {
    const asked = await Promise.allSettled(others.map(({ ip }) => talos.node(ip).etcdMembers(c.signal)));
    const answers = asked.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    return answers.length === 0 ? undefined : answers.some((members) => members.some(({ hostname }) => hostname === name));
  };
  return check({
    id: "preflight/abandon",
    stage: PREFLIGHT,
    title: `state of "${operationWords(open)}"`,
    run: async (c): Promise<Finding[]> => {
      const finish = `finish the operation:  ${resumeCommand(open, env.shown)}`;
      const refused = (message: string, hint = finish): Finding[] => [
        { level: "fail", code: "OPERATION_UNDERWAY", message: `it cannot be abandoned ${message}`, hint },
      ];
      const unseen = (what: string, repair: string): Finding[] =>
        refused(
          `while it is unknown whether ${what}`,
          `${repair}, then abandon it:  ${ownCommand("abandon", env.shown)}\nor remove all:  ${ownCommand("down", env.shown)}`,
        );
      const unknown = found.owned.some((one) => one.name === name && one.instance === undefined) || found.silent?.includes(name);
      if (unknown) return unseen(`the old machine of ${name} still exists`, "make sure that it and its host answer");
      const old = oldMachine(open, name, found);
      if (!old) return [];
      const repair = `repair the control planes (${ownCommand("verify", env.shown)} shows what is wrong with them)`;
      const ready = await kubernetes.ready(c.signal);
      if (ready !== true) return unseen(`${name} has left Kubernetes: the API does not answer (${ready.reason})`, repair);
      const left = `now: ${name} has left the cluster, and its old machine still exists (${old.where})`;
      if ((await nodeNamed(kubernetes, name, c)) === undefined) return refused(left);
      if (old.role !== "controlplane") return [];
      const member = await isMember(c);
      if (member === undefined) return unseen(`${name} is a member of etcd: no other control plane answers`, repair);
      return member ? [] : refused(left);
    },
  });
}

function nodeNamed(kube: KubernetesClient, name: string, { signal }: Read): Promise<Node | undefined> {
  return kube.get<Node>({ apiVersion: "v1", kind: "Node", name }, signal);
}

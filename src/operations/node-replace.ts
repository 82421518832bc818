import { remoteError, type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { ClusterConfig, Config } from "../config/config.ts";
import type { Session } from "../engine/context.ts";
import type { Environment } from "../environment/environment.ts";
import { definitionOf } from "../platforms/all.ts";
import type { Inventory } from "../platforms/platform.ts";
import { runMutatingCommand } from "../workflows/mutating-command.ts";
import type { Operation } from "../workflows/operation.ts";
import { writeOutputs } from "../workflows/outputs.ts";
import type { Prepared } from "../workflows/prepare.ts";
import type { Report } from "../workflows/report.ts";
import { soundPatches } from "../workflows/sound-patches.ts";
import { ALL_STAGES } from "../workflows/stages.ts";
import { up } from "../workflows/up.ts";

export const NODE_REPLACE = "node replace";

export interface ReplaceWish {
  node: string;
  /** Disks that we did not make and that may be deleted with the machine. */
  destroyDisks?: readonly string[];
  /** The node may be replaced although it has the only copy of Kubernetes volumes. */
  allowVolumeLoss?: boolean;
  /** Disruption budgets that do not count: "namespace/name". */
  ignoredBudgets?: readonly string[];
  /** Takes no snapshot of etcd before a control plane leaves. */
  noSnapshot?: boolean;
  confirm(plan: Prepared): Promise<boolean>;
}

/** The target of a replacement: the node has another machine than this one, and runs these releases. */
export type ReplaceTarget = { instance: string } & Pick<ClusterConfig, "talos" | "kubernetes" | "contract">;

/** `talosmith node replace`: the workflow of `up`, with one existing machine that must be removed. */
export function replaceNode(
  session: Session & { redactor: Redactor },
  folder: string,
  { node, confirm, destroyDisks = [], ignoredBudgets = [], allowVolumeLoss = false, noSnapshot = false }: ReplaceWish,
  report: Report,
): Promise<number> {
  return runMutatingCommand(
    session,
    folder,
    {
      command: NODE_REPLACE,
      operation: nodeReplacement(session, node),
      wish: { workflow: up, stages: ALL_STAGES, ignoredBudgets, noSnapshot, keepsVersions: true },
      allowRemove: [node],
      allowVolumeLoss: allowVolumeLoss ? [node] : [],
      destroyDisks,
      confirm,
      check: (env) => {
        requireNode(env, node);
        soundPatches(env);
      },
      record: writeOutputs,
      nothingToDo: () => `${node} has been replaced: nothing is left to do`,
      done: (env) => ({ summary: `${node} has a new machine`, next: [ownCommand("status", env.shown)] }),
    },
    report,
  );
}

export function nodeReplacement({ bus }: Session, subject: string): Operation {
  return {
    kind: NODE_REPLACE,
    subject,
    aim: (env, found, target) => {
      if (target === undefined) return aimedAt(env, subject, { instance: replaceable(env, found, subject) });
      const { instance, ...releases } = target as ReplaceTarget;
      const { talos, kubernetes } = env.config.cluster;
      if (talos !== releases.talos || kubernetes !== releases.kubernetes)
        bus.emit({
          type: "notice",
          level: "warn",
          message: `the config says Talos ${talos} and Kubernetes ${kubernetes}; ${subject} gets Talos ${releases.talos} and Kubernetes ${releases.kubernetes}, as decided when its replacement began`,
        });
      return aimedAt(env, subject, { instance, ...releases });
    },
    target: ({ config }): Json => {
      const { talos, kubernetes, contract } = config.cluster;
      const instance = config.nodes.find(({ name }) => name === subject)?.discards ?? "";
      return { instance, talos, kubernetes, contract } satisfies ReplaceTarget;
    },
  };
}

/** Returns the environment in which a node must have another machine than this one. */
export function aimedAt(
  env: Environment,
  node: string,
  { instance, ...releases }: Partial<ReplaceTarget> & Pick<ReplaceTarget, "instance">,
): Environment {
  const { cluster, nodes } = env.config;
  const config = {
    ...env.config,
    cluster: { ...cluster, ...releases },
    nodes: nodes.map((one) => (one.name === node ? { ...one, discards: instance } : one)),
  } as Config;
  return { ...env, config };
}

function requireNode(env: Environment, name: string): void {
  const names = env.config.nodes.map((node) => node.name);
  if (names.includes(name)) return;
  throw userError("NO_SUCH_NODE", {
    message: `Unable to replace ${name}: the config has no node of this name`,
    hint: `the nodes are ${names.join(", ")}; a node whose replacement has begun must stay in the config until it has ended. Nothing was changed.`,
  });
}

/** The instance of the machine to replace. */
function replaceable(env: Environment, found: Inventory, name: string): string {
  const owned = found.owned.find((one) => one.name === name);
  const { beforeUp, replacedByUp } = definitionOf(env.config).words;
  const others = found.owned.filter(({ name: other, role }) => role === "controlplane" && other !== name);
  const again = ownCommand("up", env.shown);
  const refused = (why: string, hint: string): TalosmithError =>
    remoteError("NOT_REPLACEABLE", { message: `Unable to replace ${name}: ${why}`, hint: `${hint}. Nothing was changed.` });
  if (owned?.role === "controlplane" && others.length === 0)
    throw refused(
      "it is the only control plane, and everything in the cluster would be lost with it",
      `add control planes to the config and create them first:  ${again}\nor start with an empty cluster:  ${ownCommand("reset", env.shown)}`,
    );
  if (!owned) {
    const before = beforeUp === undefined ? "" : `${beforeUp}; `;
    throw refused("it has no machine, or its machine does not answer", `${before}${again}  makes it a node`);
  }
  if (owned.instance !== undefined) return owned.instance;
  if (replacedByUp !== undefined)
    throw refused(
      replacedByUp,
      `${beforeUp === undefined ? "" : `${beforeUp}, then:  `}${ownCommand("up", env.shown, "--allow-remove", name)}`,
    );
  throw refused(
    `its machine cannot be read (${owned.where})`,
    "make sure that it and its host answer, then run the command again",
  );
}

import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { podNetwork } from "../config/pod-network.ts";
import type { Session } from "../engine/context.ts";
import type { Environment } from "../environment/environment.ts";
import { upgradeWords } from "../environment/pending-upgrade.ts";
import { runMutatingCommand } from "./mutating-command.ts";
import { writeOutputs } from "./outputs.ts";
import type { Prepared } from "./prepare.ts";
import type { Report } from "./report.ts";
import { soundPatches } from "./sound-patches.ts";
import type { Stages } from "./stages.ts";
import { up } from "./up.ts";

const KUBERNETES_PORT = 6443;

export interface UpWish {
  stages: Stages;
  allowRemove: readonly string[];
  /** Disks that we did not make and that may be deleted with their machines. */
  destroyDisks?: readonly string[];
  /** Addons that are no longer in the config and are to be removed. */
  removeAddons?: readonly string[];
  /** Nodes that may be removed with the only copy of Kubernetes volumes. */
  allowVolumeLoss?: readonly string[];
  /** Disruption budgets that do not count: "namespace/name". */
  ignoredBudgets?: readonly string[];
  /** Takes no snapshots of etcd. */
  noSnapshot?: boolean;
  confirm(plan: Prepared): Promise<boolean>;
}

/** `talosmith up`: makes the cluster match the config. */
export function bringUp(
  session: Session & { redactor: Redactor },
  folder: string,
  wish: UpWish,
  report: Report,
): Promise<number> {
  const { stages, allowRemove, destroyDisks = [], removeAddons = [], ignoredBudgets = [], allowVolumeLoss = [] } = wish;
  const { noSnapshot = false, confirm } = wish;
  return runMutatingCommand(
    session,
    folder,
    {
      command: "up",
      wish: { workflow: up, stages, removeAddons, ignoredBudgets, noSnapshot, keepsVersions: true },
      allowRemove,
      destroyDisks,
      allowVolumeLoss,
      confirm,
      check: soundPatches,
      record: writeOutputs,
      nothingToDo: (env) => `${env.config.cluster.name}: nothing to do${notAsWritten(env)}`,
      done: (env, _, changing) => ({ summary: summary(env, stages, changing), next: nextCommands(session.world, env, stages) }),
    },
    report,
  );
}

function summary(env: Environment, { until }: Stages, changing: boolean): string {
  const { cluster, nodes } = env.config;
  const count = (role: string) => nodes.filter((node) => node.role === role).length;
  const plural = (n: number, noun: string) => `${n} ${noun}${n === 1 ? "" : "s"}`;
  const who = `${plural(count("controlplane"), "control plane")}, ${plural(count("worker"), "worker")}`;
  if (until !== "verify") return `${cluster.name}: done up to the stage ${until}${notAsWritten(env)}`;
  const isLeft = podNetwork(env.config) === "left";
  const state = isLeft ? "" : ", all Ready";
  const cni = isLeft ? "\ncluster.cni is none: nodes become Ready and pods start once you have installed a CNI" : "";
  return `${cluster.name} is up: ${who}${state}${changing ? "" : "; nothing had to be changed"}${cni}${notAsWritten(env)}`;
}

function notAsWritten({ upgrade }: Environment): string {
  return upgrade ? `\nnot as the config says, which needs an upgrade: ${upgradeWords(upgrade)}` : "";
}

function nextCommands(world: World, env: Environment, { until }: Stages): string[] {
  const status = ownCommand("status", env.shown);
  if (until !== "verify") return [ownCommand("up", env.shown), status];
  const first = env.config.network.via === "ssh" ? ownCommand("tunnel", env.shown) : kubectlCommand(world, env, env.shown);
  return [first, status];
}

/** The command that shows the cluster's nodes, also where connections to it are redirected: kubectl knows no wire file. */
export function kubectlCommand({ net }: World, { config: { cluster } }: Environment, folder: string): string {
  const kubectl = `kubectl --kubeconfig ${folder}/kubeconfig`;
  const { host, port } = net.leads?.(cluster.endpoint, KUBERNETES_PORT) ?? { host: cluster.endpoint, port: KUBERNETES_PORT };
  if (host === cluster.endpoint && port === KUBERNETES_PORT) return `${kubectl} get nodes`;
  return `${kubectl} --server https://${host}:${port} --tls-server-name ${cluster.endpoint} get nodes`;
}

import { ownCommand } from "@talosmith/lib/own-command.ts";
import { type Check, check } from "../../engine/step.ts";
import { kubernetesCondition } from "../../kubernetes/conditions.ts";
import { lackNetwork, type Problem, unreadyNodes } from "../../kubernetes/health.ts";
import type { Node } from "../../kubernetes/objects.ts";
import { nodeConfigStep } from "../bootstrap/node-config.ts";
import { CLUSTER_NEEDS, type Cluster } from "./cluster.ts";

const LIMIT_MS = 10 * 60_000;

/** Stops parts that need a pod network while the user has not installed one (cni: none). Fails at once, since a wait would not help. */
export function networkThere({ env, kube }: Cluster, waiting: readonly string[]): Check {
  const { nodes } = env.config;
  const list = (signal: AbortSignal) => kube.list<Node>({ apiVersion: "v1", kind: "Node" }, signal);
  return check({
    id: "addon/pod-network",
    stage: "addons",
    title: "your own pod network",
    needs: [...CLUSTER_NEEDS, ...nodes.map(({ name }) => ({ step: nodeConfigStep(name) }))],
    run: async (c) => {
      let without: string[] = [];
      await c.until(
        kubernetesCondition("every node has reported", LIMIT_MS, async ({ signal }) => {
          const seen = await list(signal);
          const unready = unreadyNodes(seen, nodes);
          const isWithout = lackNetwork(seen) && unready.every((one) => one.waitsForNetwork);
          without = isWithout ? unready.map(({ subject }) => subject) : [];
          return isWithout || unready.length === 0 ? true : { reason: unready.map(words).join("; ") };
        }),
      );
      if (without.length === 0) return [];
      return [
        {
          level: "fail",
          code: "NO_CNI",
          message: `the config has cluster.cni: none, and no CNI is installed (${without.join(", ")} NotReady): ${waiting.join(", ")} cannot run yet`,
          hint: `install a CNI, with kubectl or helm and ${env.shown}/kubeconfig; then:  ${ownCommand("up", env.shown)}\nor set cluster.cni to flannel or cilium before the cluster is created`,
        },
      ];
    },
  });
}

const words = ({ subject, problem }: Problem): string => `${subject} ${problem}`;

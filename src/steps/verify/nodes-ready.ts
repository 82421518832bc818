import type { Check, Finding } from "../../engine/step.ts";
import { type Problem, unreadyNodes } from "../../kubernetes/health.ts";
import type { Cluster } from "./cluster.ts";
import { problemFindings } from "./problem-findings.ts";
import { verifyCheck } from "./verify-check.ts";
import { withoutCni } from "./without-cni.ts";

/** As long as Talos itself waits: images of a CNI come from far away. */
const PATIENCE_MS = 10 * 60_000;

/** Talos' check 13: every node is Ready. */
export function nodesReady(cluster: Cluster): Check {
  const { nodes, cluster: wanted } = cluster.env.config;
  const judge = wanted.cni === "none" ? withoutCni : (problems: readonly Problem[]) => problemFindings(problems, "NODE");
  return verifyCheck(cluster, {
    id: "ready",
    title: "nodes that are Ready",
    until: "every node is Ready",
    patienceMs: PATIENCE_MS,
    look: async (see) => {
      const unready = unreadyNodes(await see.kubernetesNodes(), nodes);
      const ready = nodes.filter(({ name }) => !unready.some(({ subject }) => subject === name));
      return [...ready.map(({ name }): Finding => ({ level: "ok", code: "NODE", message: `${name}: Ready` })), ...judge(unready)];
    },
  });
}

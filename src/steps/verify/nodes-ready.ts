import { ownCommand } from "@talosmith/lib/own-command.ts";
import { podNetwork } from "../../config/pod-network.ts";
import type { Check, Finding } from "../../engine/step.ts";
import { lackNetwork, type Problem, unreadyNodes } from "../../kubernetes/health.ts";
import type { Cluster } from "./cluster.ts";
import { problemFindings } from "./problem-findings.ts";
import { verifyCheck } from "./verify-check.ts";

/** Talos' check 13: every node is Ready. */
export function nodesReady(cluster: Cluster): Check {
  const { config, shown } = cluster.env;
  const { nodes } = config;
  const isLeft = podNetwork(config) === "left";
  return verifyCheck(cluster, {
    id: "ready",
    title: "nodes that are Ready",
    until: "every node is Ready",
    needs: "network",
    look: async (see, { world }) => {
      const [seen, pods] = await Promise.all([see.kubernetesNodes(), see.pods()]);
      const unready = unreadyNodes(seen, nodes, { of: pods, now: world.clock.now() });
      const ready = nodes.filter(({ name }) => !unready.some(({ subject }) => subject === name));
      const waiting = isLeft && lackNetwork(seen) ? unready.filter((one) => one.waitsForNetwork) : [];
      return [
        ...ready.map(({ name }): Finding => ({ level: "ok", code: "NODE", message: `${name}: Ready` })),
        ...problemFindings(
          unready.filter((one) => !waiting.includes(one)),
          "NODE",
        ),
        ...(waiting.length > 0 ? [noCni(waiting, shown)] : []),
      ];
    },
  });
}

/** Reported once, as a warning: other checks that need a pod network are skipped (`without-cni.ts`). */
function noCni(waiting: readonly Problem[], shown: string): Finding {
  const names = waiting.map(({ subject }) => subject).join(", ");
  return {
    level: "warn",
    code: "NO_CNI",
    message: `${names}: NotReady until you install a CNI, because the config has cluster.cni: none; CoreDNS and all other pods wait for it`,
    hint: `install a CNI, with kubectl or helm and ${shown}/kubeconfig; then:  ${ownCommand("verify", shown)}`,
  };
}

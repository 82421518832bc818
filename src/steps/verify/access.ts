import { basename } from "node:path";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import { type Check, check, type Finding } from "../../engine/step.ts";
import { paths } from "../../environment/folder.ts";
import { kubeconfigProblem } from "../../talos/access/kubeconfig.ts";
import { talosconfigProblem } from "../../talos/access/talosconfig.ts";
import { endpointUrl } from "../../talos/config/cluster-input.ts";
import { readBundle } from "../generate/secrets-bundle.ts";
import type { Cluster } from "./cluster.ts";
import { orFine, verifyCheck } from "./verify-check.ts";
import { lacksNetwork, leftOut } from "./without-cni.ts";

/** Checks that the address in kubeconfig leads to the cluster: a VIP is assigned, a name resolves, a load balancer forwards. */
export function endpointAnswers(cluster: Cluster): Check {
  const { env, kubernetes } = cluster;
  const { endpoint, vip } = env.config.cluster;
  const url = endpointUrl(endpoint);
  // A node's own address and a VIP need no pods; other endpoints may depend on some.
  const isOfNodes = endpoint === vip || env.config.nodes.some(({ ip, secondIp }) => endpoint === ip || endpoint === secondIp);
  return verifyCheck(cluster, {
    id: "endpoint",
    title: `Kubernetes API at ${url}`,
    until: "the Kubernetes API answers at the endpoint",
    look: async (see, { signal }) => {
      const answer = await kubernetes.readyAt(url, signal);
      if (answer === true) return [{ level: "ok", code: "ENDPOINT", message: `the Kubernetes API answers at ${url}` }];
      if (!isOfNodes && (await lacksNetwork(cluster, see)))
        return leftOut(`${url} does not answer; in case it is served from inside the cluster`);
      return [
        {
          level: "fail",
          code: "ENDPOINT",
          message: `the Kubernetes API does not answer at ${url}: ${answer.reason}`,
          hint: "cluster.endpoint must lead to the control planes: a free address of their network, a name that resolves to them, or a load balancer",
        },
      ];
    },
  });
}

/** Checks that the access files are for this cluster and do not expire soon. */
export function accessFiles({ env, redactor, after, addons = [] }: Cluster): Check {
  const { folder, config } = env;
  const endpoints = config.nodes.filter((node) => node.role === "controlplane").map((node) => node.ip);
  const server = endpointUrl(config.cluster.endpoint);
  return check({
    id: "verify/access",
    stage: "verify",
    title: "talosconfig and kubeconfig",
    needs: after,
    after: addons,
    run: async ({ world }) => {
      const bundle = readBundle(world, env, redactor);
      const now = world.clock.now();
      const judges = [
        { path: paths.talosconfig(folder), judge: (text: string) => talosconfigProblem(text, bundle, { endpoints }, now) },
        { path: paths.kubeconfig(folder), judge: (text: string) => kubeconfigProblem(text, bundle, { server }, now) },
      ];
      const findings = judges.flatMap(({ path, judge }): Finding[] => {
        const content = world.files.read(path);
        const problem = content === undefined ? "it does not exist" : judge(Buffer.from(content).toString("utf8"));
        if (problem === undefined) return [];
        const hint = ownCommand("up", env.shown);
        return [{ level: "warn", code: "ACCESS_FILE", message: `${basename(path)}: ${problem}`, hint }];
      });
      return orFine(findings, "ACCESS_FILE", "talosconfig and kubeconfig are valid and do not expire soon");
    },
  });
}

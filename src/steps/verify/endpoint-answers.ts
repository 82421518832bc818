import type { Check } from "../../engine/step.ts";
import { endpointUrl } from "../../talos/config/cluster-input.ts";
import type { Cluster } from "./cluster.ts";
import { verifyCheck } from "./verify-check.ts";
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

import { type Check, check } from "../../engine/step.ts";
import { endpointUrl } from "../../talos/config/cluster-input.ts";
import type { Cluster } from "./cluster.ts";
import { eventually } from "./eventually.ts";

/** The address in kubeconfig leads to the cluster: a VIP is held by somebody, a name resolves, a load balancer passes on. */
export function endpointAnswers({ env, kubernetes, after }: Cluster): Check {
  const url = endpointUrl(env.config.cluster.endpoint);
  return check({
    id: "verify/endpoint",
    stage: "verify",
    title: `Kubernetes API at ${url}`,
    needs: after,
    run: (c) =>
      eventually("the Kubernetes API answers at the endpoint", c, async () => {
        const answer = await kubernetes.readyAt(url, c.signal);
        if (answer === true) return [{ level: "ok", code: "ENDPOINT", message: `the Kubernetes API answers at ${url}` }];
        return [
          {
            level: "fail",
            code: "ENDPOINT",
            message: `the Kubernetes API does not answer at ${url}: ${answer.reason}`,
            hint: "cluster.endpoint must lead to the control planes: a free address of their network, a name that resolves to them, or a load balancer",
          },
        ];
      }),
  });
}

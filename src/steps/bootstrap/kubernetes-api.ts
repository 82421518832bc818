import { type Check, check, type Ref } from "../../engine/step.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import { etcd } from "./etcd.ts";

export const kubernetesApi: Ref<void> = { step: "bootstrap/kubernetes-api" };

const LIMIT_MS = 15 * 60_000;

/** Waits until the Kubernetes API answers. Control planes start it once etcd runs; images may have to be pulled first. */
export function kubernetesApiAnswers(kubernetes: KubernetesClient): Check {
  return check({
    id: kubernetesApi.step,
    stage: "bootstrap",
    title: "Kubernetes API",
    needs: [etcd],
    run: async (c) => {
      await c.until({ name: "the Kubernetes API answers", timeoutMs: LIMIT_MS, poll: ({ signal }) => kubernetes.ready(signal) });
      return [];
    },
  });
}

import { isTransient } from "@talosmith/lib/errors.ts";
import { type Check, check, type Finding, PREFLIGHT, type Read } from "../../engine/step.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import type { Pod } from "../../kubernetes/objects.ts";
import { degradedStorage } from "../../maintenance/storage.ts";

export interface Stopping {
  kubernetes: KubernetesClient;
  /** Some machines may already be off, with copies that volumes seem to lack. */
  hasBegun: boolean;
  /** Volumes may lack copies. */
  allowDegraded: boolean;
}

/**
 * Reports the consequences before a cluster is switched off. Degraded volumes must be rebuilt first: a node that does not come back may have the last
 * copy.
 */
export function whatStops({ kubernetes, hasBegun, allowDegraded }: Stopping): Check {
  return check({
    id: "preflight/what-stops",
    stage: PREFLIGHT,
    title: "the cluster can be switched off",
    run: async (c) => {
      try {
        const ready = await kubernetes.ready(c.signal);
        if (ready !== true) return [unseen(ready.reason)];
        return [await podsStop(kubernetes, c), ...(await storage(kubernetes, c, hasBegun || allowDegraded))];
      } catch (error) {
        c.signal.throwIfAborted();
        if (!isTransient(error)) throw error;
        return [unseen(error.detail ?? error.message)];
      }
    },
  });
}

function unseen(why: string): Finding {
  const message = `Kubernetes does not answer, so its pods and volumes were not checked: ${why}`;
  return { level: "warn", code: "PODS_UNSEEN", message };
}

async function podsStop(kube: KubernetesClient, c: Read): Promise<Finding> {
  const pods = await kube.list<Pod>({ apiVersion: "v1", kind: "Pod" }, c.signal);
  const running = pods.filter(({ status }) => status?.phase === "Running").length;
  const message = `${running} running pod${running === 1 ? "" : "s"} and the Kubernetes API stop until the cluster is started again; pods are not drained`;
  return { level: "warn", code: "STOPS", message };
}

async function storage(kube: KubernetesClient, c: Read, isAllowed: boolean): Promise<Finding[]> {
  const found = await degradedStorage(kube, c);
  if (isAllowed) return found.map(({ code, message }) => ({ level: "warn", code, message }));
  return found.map(({ hint = "", ...finding }) => ({ ...finding, hint: `${hint}; or stop anyway: add --allow-degraded` }));
}

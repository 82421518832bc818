import { hasCode } from "@talosmith/lib/errors.ts";
import type { Write } from "../engine/step.ts";
import type { KubernetesClient } from "../kubernetes/client/kubernetes-client.ts";
import { kubernetesCondition } from "../kubernetes/conditions.ts";
import { drainable, podName, podsOn } from "../kubernetes/drain.ts";
import type { Node, Taint } from "../kubernetes/objects.ts";

const RELEASE_MS = 2 * 60_000;
/** Tells Kubernetes that nothing runs on a node any more: it deletes its pods and detaches its volumes at once. */
const OUT_OF_SERVICE: Taint = { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" };

/**
 * A node that is down cannot be drained. Only when its machine is proven to be off may Kubernetes start its pods elsewhere at once; otherwise they might
 * still run and write to the same volume.
 */
export async function leaveBehind(kube: KubernetesClient, node: Node, isOff: boolean, c: Write): Promise<void> {
  const { name } = node.metadata;
  c.say("it is down: not drained");
  if (!isOff) return;
  const taints = (node.spec?.taints ?? []).filter(({ key }) => key !== OUT_OF_SERVICE.key);
  await c.mutate({ key: `node ${name}`, what: `mark ${name} as out of service` }, async () => {
    await kube.merge(
      { apiVersion: "v1", kind: "Node", name },
      { spec: { taints: [...taints, OUT_OF_SERVICE].map((taint) => ({ ...taint })) } },
      c.signal,
    );
    return name;
  });
  const condition = kubernetesCondition(`the pods of ${name} are released`, RELEASE_MS, async ({ signal }) => {
    const { moving, leaving } = drainable(await podsOn(kube, name, signal));
    const left = [...moving, ...leaving].map(podName);
    return left.length === 0 ? true : { reason: left.join(", ") };
  });
  // Deleting its Node object releases them, too, only later.
  await c.until(condition).catch((error: unknown) => {
    if (!hasCode(error, "TIMEOUT")) throw error;
    c.say(`${name}: ${error.detail ?? error.message}`);
  });
}

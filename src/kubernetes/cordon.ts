import type { Write } from "../engine/step.ts";
import type { KubernetesClient } from "./client/kubernetes-client.ts";
import type { Node } from "./objects.ts";

/** The annotation of talosmith's own cordons, by which a later run recognises and removes them; other cordons are kept. */
const CORDONED_FOR = "talosmith.dev/cordoned-for";

/** Cordons a node: no new pods are scheduled on it. */
export async function cordon(kube: KubernetesClient, name: string, c: Write, why: string): Promise<void> {
  await c.mutate({ key: `node ${name}`, what: `cordon ${name}` }, async () => {
    const metadata = { annotations: { [CORDONED_FOR]: why } };
    await kube.merge({ apiVersion: "v1", kind: "Node", name }, { metadata, spec: { unschedulable: true } }, c.signal);
    return name;
  });
}

export async function uncordon(kube: KubernetesClient, name: string, c: Write): Promise<void> {
  await c.mutate({ key: `node ${name}`, what: `uncordon ${name}` }, async () => {
    const metadata = { annotations: { [CORDONED_FOR]: null } };
    await kube.merge({ apiVersion: "v1", kind: "Node", name }, { metadata, spec: { unschedulable: null } }, c.signal);
    return name;
  });
}

export function isCordoned({ spec }: Node): boolean {
  return spec?.unschedulable === true;
}

/** The reason of talosmith's cordon; undefined when the node is not cordoned, or by another program. */
export function cordonedFor(node: Node): string | undefined {
  return isCordoned(node) ? node.metadata.annotations?.[CORDONED_FOR] : undefined;
}

import type { Write } from "../engine/step.ts";
import type { KubernetesClient } from "./client/kubernetes-client.ts";
import type { Node } from "./objects.ts";

/** Set on a node together with our cordon, so that a later run recognises it and can take it back; a cordon without it is left alone. */
const CORDONED_FOR = "talosmith.dev/cordoned-for";

/** No new pods for it. */
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

/** Why we cordoned it; undefined when it is not cordoned or the cordon is not ours. */
export function cordonedFor(node: Node): string | undefined {
  return isCordoned(node) ? node.metadata.annotations?.[CORDONED_FOR] : undefined;
}

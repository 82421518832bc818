import type { Write } from "../engine/step.ts";
import type { KubernetesClient } from "./client/kubernetes-client.ts";
import type { Node } from "./objects.ts";

/** On a node that we cordoned for a while: whoever comes after us may take it back. */
const FOR_A_WHILE = "talosmith.dev/cordoned-for";

/** No new pods for it. */
export async function cordon(kube: KubernetesClient, name: string, c: Write, forAWhile?: string): Promise<void> {
  await c.mutate({ key: `node ${name}`, what: `cordon ${name}` }, async () => {
    const metadata = forAWhile === undefined ? {} : { metadata: { annotations: { [FOR_A_WHILE]: forAWhile } } };
    await kube.merge({ apiVersion: "v1", kind: "Node", name }, { ...metadata, spec: { unschedulable: true } }, c.signal);
    return name;
  });
}

export async function uncordon(kube: KubernetesClient, name: string, c: Write): Promise<void> {
  await c.mutate({ key: `node ${name}`, what: `uncordon ${name}` }, async () => {
    const metadata = { annotations: { [FOR_A_WHILE]: null } };
    await kube.merge({ apiVersion: "v1", kind: "Node", name }, { metadata, spec: { unschedulable: null } }, c.signal);
    return name;
  });
}

/** What we cordoned it for; undefined when it was somebody else, or nobody. */
export function cordonedFor({ metadata, spec }: Node): string | undefined {
  return spec?.unschedulable === true ? metadata.annotations?.[FOR_A_WHILE] : undefined;
}

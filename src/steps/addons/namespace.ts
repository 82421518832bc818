import type { Field, Read, Write } from "../../engine/step.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import { codeOf } from "../../kubernetes/client/refusal.ts";
import type { Namespace } from "../../kubernetes/objects.ts";
import { namespaces } from "./shared-looks.ts";

type Labels = Readonly<Record<string, string>>;

/** The labels that a namespace lacks; all of them while it does not exist. */
export async function labelDifferences(kube: KubernetesClient, c: Read, name: string, labels: Labels): Promise<Field[]> {
  if (Object.keys(labels).length === 0) return [];
  const there = (await namespaces(kube, c)).find(({ metadata }) => metadata.name === name);
  return Object.entries(labels).flatMap(([key, to]) => {
    const from = there?.metadata.labels?.[key] ?? null;
    return from === to ? [] : [{ path: `namespace ${key}`, from, to }];
  });
}

/**
 * Creates or labels the namespace. Not by server-side apply: several parts may set labels of one namespace, and each apply would remove those of the
 * previous one.
 */
export async function labelNamespace(kube: KubernetesClient, c: Write, name: string, labels: Labels): Promise<void> {
  const there = await kube.get<Namespace>({ apiVersion: "v1", kind: "Namespace", name }, c.signal);
  if (!there) {
    await createNamespace(kube, c, name, labels);
    return;
  }
  if (Object.entries(labels).every(([key, value]) => there.metadata.labels?.[key] === value)) return;
  await c.mutate({ key: `namespace ${name}`, what: `label namespace ${name}` }, () =>
    kube.merge({ apiVersion: "v1", kind: "Namespace", name }, { metadata: { labels } }, c.signal),
  );
}

/** Another part with the same namespace may have created it meanwhile. */
export async function createNamespace(kube: KubernetesClient, c: Write, name: string, labels: Labels = {}): Promise<void> {
  const made = await c.mutate({ key: `namespace ${name}`, what: `create namespace ${name}` }, async () => {
    try {
      await kube.create({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels: { ...labels } } }, c.signal);
      return true;
    } catch (error) {
      if (codeOf(error) !== "KUBERNETES_CONFLICT") throw error;
      return false;
    }
  });
  if (!made && Object.keys(labels).length > 0) await labelNamespace(kube, c, name, labels);
}

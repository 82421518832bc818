import type { Manifest } from "../../catalog/addons/addon.ts";
import type { Read, Write } from "../../engine/step.ts";
import type { KubernetesClient, ObjectRef } from "../../kubernetes/client/kubernetes-client.ts";
import { environmentLabel, OF_ADDON, OF_ENVIRONMENT } from "../../kubernetes/helm/release.ts";
import type { ConfigMap } from "../../kubernetes/objects.ts";

const NAMESPACE = "kube-system";
const OF_PART = "talosmith.dev/part";
const LONGEST_NAME = 253;

/** The record of all objects ever applied for a part, written to the cluster before they are applied: the only memory of earlier configs. */
export interface PartInventory {
  /** Name of the ConfigMap. */
  name: string;
  addon: string;
  part: string;
  objects: readonly ObjectRef[];
}

/** Lists all inventories of this environment. */
export async function inventories(kube: KubernetesClient, c: Read, environment: string): Promise<PartInventory[]> {
  const labelSelector = `${OF_ENVIRONMENT}=${environmentLabel(environment)},${OF_PART}`;
  const of = { apiVersion: "v1", kind: "ConfigMap", namespace: NAMESPACE, labelSelector };
  const maps = await c.shared("addon inventories", () => kube.list<ConfigMap>(of, c.signal));
  return maps.map(({ metadata: { name, labels = {} }, data }) => ({
    name,
    addon: labels[OF_ADDON] ?? "",
    part: labels[OF_PART] ?? "",
    objects: refsIn(data?.objects ?? "[]"),
  }));
}

/** Parses a record; unreadable entries, for example after a manual edit, are ignored. */
function refsIn(text: string): ObjectRef[] {
  try {
    const refs: unknown = JSON.parse(text);
    return Array.isArray(refs) ? (refs as ObjectRef[]).filter(({ kind, name }) => Boolean(kind && name)) : [];
  } catch {
    return [];
  }
}

export async function writeInventory(
  kube: KubernetesClient,
  c: Write,
  environment: string,
  { addon, part, objects }: Omit<PartInventory, "name">,
): Promise<void> {
  const name = inventoryName(addon, part);
  const labels = {
    "app.kubernetes.io/managed-by": "talosmith",
    [OF_ENVIRONMENT]: environmentLabel(environment),
    [OF_ADDON]: addon,
    [OF_PART]: part,
  };
  const map: ConfigMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: NAMESPACE, labels },
    data: { objects: JSON.stringify(objects) },
  };
  await c.mutate({ key: `configmap ${name}`, what: `record the objects of ${addon}/${part}` }, async () => {
    await kube.apply(map, c.signal);
    return undefined;
  });
}

export async function removeInventory(kube: KubernetesClient, c: Write, name: string): Promise<void> {
  await c.mutate({ key: `configmap ${name}`, what: `remove ConfigMap ${name}` }, () =>
    kube.delete({ apiVersion: "v1", kind: "ConfigMap", namespace: NAMESPACE, name }, {}, c.signal),
  );
}

function inventoryName(addon: string, part: string): string {
  return `talosmith-${addon}-${part}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, "-")
    .slice(0, LONGEST_NAME);
}

export function refOf({ apiVersion, kind, metadata: { name, namespace } }: Manifest): ObjectRef {
  return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) };
}

/** A key of an object that does not depend on the version of its API group. */
export function refKey({ apiVersion, kind, namespace, name }: ObjectRef): string {
  const group = apiVersion.includes("/") ? apiVersion.split("/")[0] : "";
  return `${group} ${kind} ${namespace ?? ""}/${name}`;
}

/** "ConfigMap default/hello" */
export function refName({ kind, namespace, name }: ObjectRef): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

/** Merges two lists without duplicates. */
export function joined(refs: readonly ObjectRef[], more: readonly ObjectRef[]): ObjectRef[] {
  return [...new Map([...refs, ...more].map((ref) => [refKey(ref), ref])).values()];
}

import { deleteObject } from "../api/delete.ts";
import { ApiError } from "../api/status.ts";
import { createObject, quietly } from "../api/write.ts";
import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject, Loose, OwnerReference } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { all, read } from "../store/store.ts";
import { say } from "./events.ts";

const PODS = builtin("pods");

export function ownerOf({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}

export function isOwnedBy({ metadata }: KubeObject, owner: KubeObject): boolean {
  return (metadata.ownerReferences ?? []).some(({ uid, controller }) => uid === owner.metadata.uid && controller === true);
}

export function podsOf(cluster: SimulatedCluster, owner: KubeObject): KubeObject[] {
  return all(cluster, PODS, owner.metadata.namespace).filter((pod) => isOwnedBy(pod, owner));
}

export interface NewPod {
  /** The exact name, or a prefix. */
  name?: string;
  labels?: Record<string, string>;
  spec?: Loose;
}

/** Creates a pod from its owner's template; a refusal of the API becomes an event, and is retried at the next look. */
export function createPod(
  cluster: SimulatedCluster,
  owner: KubeObject,
  { name, labels = {}, spec = {} }: NewPod,
  component: string,
): KubeObject | undefined {
  const { template } = owner.spec;
  const metadata = template.metadata ?? {};
  try {
    const pod = createObject(
      cluster,
      PODS,
      owner.metadata.namespace,
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          ...(name === undefined ? { generateName: `${owner.metadata.name}-` } : { name }),
          labels: { ...metadata.labels, ...labels },
          ...(metadata.annotations && { annotations: metadata.annotations }),
          ownerReferences: [ownerOf(owner)],
        },
        spec: { ...structuredClone(template.spec), ...spec },
      },
      quietly(),
    );
    say(cluster, owner, { type: "Normal", reason: "SuccessfulCreate", message: `Created pod: ${pod.metadata.name}`, component });
    return pod;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    refusedOnce(cluster, owner, `Error creating: ${error.message}`, component);
    return undefined;
  }
}

function refusedOnce(cluster: SimulatedCluster, owner: KubeObject, message: string, component: string): void {
  const said = all(cluster, builtin("events"), owner.metadata.namespace).some(
    ({ involvedObject, reason }) => involvedObject?.uid === owner.metadata.uid && reason === "FailedCreate",
  );
  if (!said) say(cluster, owner, { type: "Warning", reason: "FailedCreate", message, component });
}

export function deletePod(cluster: SimulatedCluster, pod: KubeObject): void {
  const current = read(cluster, PODS, pod.metadata.namespace, pod.metadata.name);
  if (current?.metadata.uid === pod.metadata.uid && current.metadata.deletionTimestamp === undefined)
    deleteObject(cluster, PODS, current, {});
}

/** "25%" of a number, or a plain number. */
export function portion(value: number | string | undefined, of: number, up: boolean): number {
  if (typeof value !== "string") return value ?? 0;
  const exact = (Number.parseFloat(value) / 100) * of;
  return up ? Math.ceil(exact) : Math.floor(exact);
}

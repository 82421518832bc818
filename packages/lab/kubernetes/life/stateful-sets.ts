import { createObject, quietly } from "../api/write.ts";
import type { SimulatedCluster } from "../cluster.ts";
import { contentHash } from "../identity.ts";
import type { KubeObject } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { all, put, read } from "../store/store.ts";
import { isFinished, isReady } from "./conditions.ts";
import { createPod, deletePod, podsOf } from "./pods-of.ts";

const STATEFUL_SETS = builtin("statefulsets.apps");
const HASH = "controller-revision-hash";

/** Runs numbered pods one after the other, each with its own claims. */
export function runStatefulSets(cluster: SimulatedCluster): void {
  for (const set of all(cluster, STATEFUL_SETS)) if (set.metadata.deletionTimestamp === undefined) runStatefulSet(cluster, set);
}

function runStatefulSet(cluster: SimulatedCluster, set: KubeObject): void {
  const { name } = set.metadata;
  const hash = `${name}-${contentHash([set.spec.template.metadata?.labels, set.spec.template.spec])}`;
  const pods = new Map(podsOf(cluster, set).map((pod) => [Number(pod.metadata.name.slice(name.length + 1)), pod]));
  const parallel = set.spec.podManagementPolicy === "Parallel";
  for (let ordinal = 0; ordinal < set.spec.replicas; ordinal++) {
    const pod = pods.get(ordinal);
    if (!pod) {
      claim(cluster, set, ordinal);
      createPod(cluster, set, podAt(set, ordinal, hash), "statefulset-controller");
    } else if (isFinished(pod)) deletePod(cluster, pod);
    if (!parallel && !(pod && isReady(pod))) break;
  }
  const [last] = [...pods.keys()].filter((ordinal) => ordinal >= set.spec.replicas).sort((a, b) => b - a);
  const surplus = last === undefined ? undefined : pods.get(last);
  if (surplus) deletePod(cluster, surplus);
  const stale = [...pods.values()].filter((pod) => pod.metadata.labels?.[HASH] !== hash);
  const oldest = stale.at(-1);
  if (oldest && [...pods.values()].every(isReady)) deletePod(cluster, oldest);
  writeStatus(cluster, set, hash);
}

function claim(cluster: SimulatedCluster, { metadata, spec }: KubeObject, ordinal: number): void {
  const claims = builtin("persistentvolumeclaims");
  for (const template of spec.volumeClaimTemplates ?? []) {
    const name = `${template.metadata.name}-${metadata.name}-${ordinal}`;
    if (read(cluster, claims, metadata.namespace, name)) continue;
    const labels = { ...template.metadata.labels, ...spec.selector?.matchLabels };
    const object = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name, labels },
      spec: structuredClone(template.spec),
    };
    createObject(cluster, claims, metadata.namespace, object, quietly());
  }
}

function podAt({ metadata, spec }: KubeObject, ordinal: number, hash: string) {
  const name = `${metadata.name}-${ordinal}`;
  const labels = { [HASH]: hash, "statefulset.kubernetes.io/pod-name": name, "apps.kubernetes.io/pod-index": String(ordinal) };
  const claims = (spec.volumeClaimTemplates ?? []).map((claim: KubeObject) => ({
    name: claim.metadata.name,
    persistentVolumeClaim: { claimName: `${claim.metadata.name}-${name}` },
  }));
  const volumes = [...(spec.template.spec.volumes ?? []), ...claims];
  return {
    name,
    labels,
    spec: { hostname: name, ...(spec.serviceName && { subdomain: spec.serviceName }), ...(volumes.length > 0 && { volumes }) },
  };
}

function writeStatus(cluster: SimulatedCluster, { metadata }: KubeObject, hash: string): void {
  const set = read(cluster, STATEFUL_SETS, metadata.namespace, metadata.name);
  if (!set) return;
  const pods = podsOf(cluster, set);
  const ready = pods.filter(isReady).length;
  const updated = pods.filter((pod) => pod.metadata.labels?.[HASH] === hash).length;
  put(cluster, STATEFUL_SETS, {
    ...set,
    status: {
      observedGeneration: set.metadata.generation,
      replicas: pods.length,
      readyReplicas: ready,
      availableReplicas: ready,
      currentReplicas: updated,
      updatedReplicas: updated,
      currentRevision: hash,
      updateRevision: hash,
      collisionCount: 0,
    },
  });
}

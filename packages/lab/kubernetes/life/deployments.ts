import { createObject, quietly } from "../api/write.ts";
import type { SimulatedCluster } from "../cluster.ts";
import { contentHash, timestamp } from "../identity.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { lookIn } from "../store/look.ts";
import { all, put, read } from "../store/store.ts";
import { type Condition, withConditions } from "./conditions.ts";
import { say } from "./events.ts";
import { isOwnedBy, ownerOf, portion } from "./pods-of.ts";

const DEPLOYMENTS = builtin("deployments.apps");
const REPLICA_SETS = builtin("replicasets.apps");
const HASH = "pod-template-hash";
const REVISION = "deployment.kubernetes.io/revision";

export function runDeployments(cluster: SimulatedCluster): void {
  for (const deployment of all(cluster, DEPLOYMENTS)) {
    if (deployment.metadata.deletionTimestamp === undefined) runDeployment(cluster, deployment);
  }
}

function runDeployment(cluster: SimulatedCluster, deployment: KubeObject): void {
  const sets = all(cluster, REPLICA_SETS, deployment.metadata.namespace).filter((set) => isOwnedBy(set, deployment));
  const hash = contentHash(templateOf(deployment));
  const current = sets.find((set) => set.metadata.labels?.[HASH] === hash) ?? newReplicaSet(cluster, deployment, sets, hash);
  const old = sets.filter((set) => set.metadata.uid !== current.metadata.uid);
  scaleSets(cluster, deployment, current, old);
  const fresh = [current, ...old].flatMap(({ metadata }) => read(cluster, REPLICA_SETS, metadata.namespace, metadata.name) ?? []);
  writeStatus(cluster, deployment, fresh, current.metadata.uid);
}

function templateOf({ spec }: KubeObject): Loose {
  const { creationTimestamp: _, ...metadata } = spec.template.metadata ?? {};
  return { metadata, spec: spec.template.spec };
}

function newReplicaSet(cluster: SimulatedCluster, deployment: KubeObject, sets: readonly KubeObject[], hash: string): KubeObject {
  const { metadata, spec } = deployment;
  const revision = Math.max(0, ...sets.map((set) => Number(set.metadata.annotations?.[REVISION] ?? 0))) + 1;
  const labels = { ...spec.template.metadata?.labels, [HASH]: hash };
  const template = structuredClone(spec.template);
  template.metadata = { ...template.metadata, labels };
  const stored = createObject(
    cluster,
    REPLICA_SETS,
    metadata.namespace,
    {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: {
        name: `${metadata.name}-${hash}`,
        labels,
        annotations: { [REVISION]: String(revision), "deployment.kubernetes.io/desired-replicas": String(spec.replicas) },
        ownerReferences: [ownerOf(deployment)],
      },
      spec: {
        replicas: 0,
        ...(spec.minReadySeconds !== undefined && { minReadySeconds: spec.minReadySeconds }),
        selector: {
          matchLabels: { ...spec.selector.matchLabels, [HASH]: hash },
          ...(spec.selector.matchExpressions && { matchExpressions: spec.selector.matchExpressions }),
        },
        template,
      },
    },
    quietly(),
  );
  const latest = read(cluster, DEPLOYMENTS, metadata.namespace, metadata.name) ?? deployment;
  put(cluster, DEPLOYMENTS, {
    ...latest,
    metadata: { ...latest.metadata, annotations: { ...latest.metadata.annotations, [REVISION]: String(revision) } },
  });
  return stored;
}

/** Scales the new ReplicaSet up within the surge, and old ones down while enough pods are available. */
function scaleSets(cluster: SimulatedCluster, deployment: KubeObject, current: KubeObject, old: readonly KubeObject[]): void {
  const { replicas, strategy } = deployment.spec;
  const total = (sets: readonly KubeObject[]) => sets.reduce((sum, set) => sum + (set.spec.replicas ?? 0), 0);
  if (strategy.type === "Recreate") {
    for (const set of old) scaleTo(cluster, deployment, set, 0);
    const left = old.reduce((sum, set) => sum + (set.status?.replicas ?? 0), 0);
    if (left === 0) scaleTo(cluster, deployment, current, replicas);
    return;
  }
  const surge = portion(strategy.rollingUpdate?.maxSurge, replicas, true);
  const away = portion(strategy.rollingUpdate?.maxUnavailable, replicas, false);
  const room = Math.max(0, replicas + Math.max(surge, away === 0 ? 1 : 0) - total(old));
  scaleTo(cluster, deployment, current, Math.min(replicas, Math.max(Math.min(current.spec.replicas, replicas), room)));
  const available = [current, ...old].reduce((sum, set) => sum + (set.status?.availableReplicas ?? 0), 0);
  let spare = available - (replicas - away);
  for (const set of old) {
    const idle = set.spec.replicas - (set.status?.availableReplicas ?? 0);
    const down = Math.min(set.spec.replicas, Math.max(0, idle) + Math.max(0, spare));
    if (down > 0) scaleTo(cluster, deployment, set, set.spec.replicas - down);
    spare -= Math.max(0, down - Math.max(0, idle));
  }
}

function scaleTo(cluster: SimulatedCluster, deployment: KubeObject, set: KubeObject, replicas: number): void {
  if (set.spec.replicas === replicas) return;
  const direction = replicas > set.spec.replicas ? "up" : "down";
  const message = `Scaled ${direction} replica set ${set.metadata.name} from ${set.spec.replicas} to ${replicas}`;
  const generation = (set.metadata.generation ?? 1) + 1;
  put(cluster, REPLICA_SETS, { ...set, metadata: { ...set.metadata, generation }, spec: { ...set.spec, replicas } });
  say(cluster, deployment, { type: "Normal", reason: "ScalingReplicaSet", message, component: "deployment-controller" });
}

function writeStatus(cluster: SimulatedCluster, { metadata }: KubeObject, sets: readonly KubeObject[], currentUid: string): void {
  const deployment = read(cluster, DEPLOYMENTS, metadata.namespace, metadata.name);
  if (!deployment) return;
  const { spec } = deployment;
  const sum = (field: string, of = sets) => of.reduce((total, set) => total + (set.status?.[field] ?? 0), 0);
  const current = sets.filter((set) => set.metadata.uid === currentUid);
  const [replicas, ready, available] = [sum("replicas"), sum("readyReplicas"), sum("availableReplicas")];
  const updated = sum("replicas", current);
  const needed = spec.replicas - portion(spec.strategy.rollingUpdate?.maxUnavailable, spec.replicas, false);
  const complete = updated === spec.replicas && replicas === spec.replicas && available === spec.replicas;
  const name = current[0]?.metadata.name;
  const positive = (fields: Record<string, number>) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value > 0));
  put(cluster, DEPLOYMENTS, {
    ...deployment,
    status: {
      observedGeneration: deployment.metadata.generation,
      ...positive({
        replicas,
        updatedReplicas: updated,
        readyReplicas: ready,
        availableReplicas: available,
        unavailableReplicas: Math.max(0, spec.replicas - available),
      }),
      conditions: withConditions(cluster, deployment.status?.conditions, [
        available >= needed
          ? {
              type: "Available",
              status: "True",
              reason: "MinimumReplicasAvailable",
              message: "Deployment has minimum availability.",
            }
          : {
              type: "Available",
              status: "False",
              reason: "MinimumReplicasUnavailable",
              message: "Deployment does not have minimum availability.",
            },
        progress(cluster, deployment, complete, name, updated + available),
      ]),
    },
  });
}

/** The Progressing condition: a rollout without progress for too long has failed, until there is progress again. */
function progress(
  cluster: SimulatedCluster,
  deployment: KubeObject,
  complete: boolean,
  set: string | undefined,
  sum: number,
): Condition {
  const type = "Progressing";
  const before = (deployment.status?.updatedReplicas ?? 0) + (deployment.status?.availableReplicas ?? 0);
  const old = (deployment.status?.conditions ?? []).find((it: Loose) => it.type === type);
  // A completed rollout stays complete when pods come and go; only another template starts a new one.
  if (complete || (old?.reason === "NewReplicaSetAvailable" && old.message.includes(`"${set}"`))) {
    return {
      type,
      status: "True",
      reason: "NewReplicaSetAvailable",
      message: `ReplicaSet "${set}" has successfully progressed.`,
    };
  }
  const { status, spec, metadata } = deployment;
  const moved =
    sum > before || status?.observedGeneration !== metadata.generation || !old || old.reason === "NewReplicaSetAvailable";
  const deadline = Date.parse(old?.lastUpdateTime ?? "") + (spec.progressDeadlineSeconds ?? 600) * 1000;
  const left = deadline - cluster.lab.now();
  if (!moved && (left <= 0 || old.reason === "ProgressDeadlineExceeded")) {
    const message = `ReplicaSet "${set}" has timed out progressing.`;
    return { type, status: "False", reason: "ProgressDeadlineExceeded", message };
  }
  lookIn(cluster, moved ? (spec.progressDeadlineSeconds ?? 600) * 1000 : left);
  return {
    type,
    status: "True",
    reason: "ReplicaSetUpdated",
    message: `ReplicaSet "${set}" is progressing.`,
    lastUpdateTime: moved ? timestamp(cluster.lab.now()) : old.lastUpdateTime,
  };
}

import type { KubeObject, Loose, Manifest } from "../objects.ts";
import type { Process } from "../pods/program.ts";
import type { ClusterApi } from "./api.ts";

const LOOK_AGAIN_MS = 5000;

/**
 * Waits, as with --wait, until all objects of the release are ready. Counts its own time, since the lab's clock may run far ahead of its network.
 */
export async function waitUntilReady(
  run: Process,
  api: ClusterApi,
  objects: readonly Manifest[],
  namespace: string,
  timeoutMs: number,
  jobs: "started" | "finished",
): Promise<void> {
  for (let waited = 0; ; waited += LOOK_AGAIN_MS) {
    let ready = true;
    for (const object of objects) {
      if (!ready || !isAwaited(object, jobs)) continue;
      const live = await api.read(object, namespace);
      ready = live !== undefined && isReady(live);
    }
    if (ready) return;
    if (waited >= timeoutMs) throw new Error("context deadline exceeded");
    await run.sleep(LOOK_AGAIN_MS);
  }
}

function isAwaited({ kind }: Manifest, jobs: "started" | "finished"): boolean {
  return (
    ["Deployment", "DaemonSet", "StatefulSet", "ReplicaSet", "Pod", "PersistentVolumeClaim", "CustomResourceDefinition"].includes(
      kind,
    ) ||
    (jobs === "finished" && kind === "Job")
  );
}

function isReady({ kind, metadata, spec, status = {} }: KubeObject): boolean {
  const holds = (type: string) => (status.conditions ?? []).some((it: Loose) => it.type === type && it.status === "True");
  switch (kind) {
    case "Deployment":
      return (
        seen(metadata, status) && (status.updatedReplicas ?? 0) >= spec.replicas && (status.readyReplicas ?? 0) >= spec.replicas
      );
    case "ReplicaSet":
    case "StatefulSet":
      return seen(metadata, status) && (status.readyReplicas ?? 0) >= spec.replicas;
    case "DaemonSet": {
      const wanted = status.desiredNumberScheduled ?? 0;
      const away = Number.parseInt(String(spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1), 10);
      return (
        seen(metadata, status) && (status.updatedNumberScheduled ?? 0) === wanted && (status.numberReady ?? 0) >= wanted - away
      );
    }
    case "Pod":
      return holds("Ready");
    case "PersistentVolumeClaim":
      return status.phase === "Bound";
    case "CustomResourceDefinition":
      return holds("Established");
    default:
      if (holds("Failed")) throw new Error(`job ${metadata.name} failed: ${reasonOf(status)}`);
      return holds("Complete");
  }
}

function reasonOf({ conditions = [] }: Loose): string {
  return conditions.find(({ type }: Loose) => type === "Failed")?.reason ?? "";
}

function seen(metadata: KubeObject["metadata"], status: Loose): boolean {
  return (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

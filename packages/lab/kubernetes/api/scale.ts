import type { KubeObject, Loose } from "../objects.ts";

/** The scale subresource of an object with replicas. */
export function scaleOf({ metadata, spec, status }: KubeObject): Loose {
  const selector = Object.entries((spec.selector?.matchLabels ?? {}) as Record<string, string>);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      name: metadata.name,
      namespace: metadata.namespace,
      uid: metadata.uid,
      resourceVersion: metadata.resourceVersion,
      creationTimestamp: metadata.creationTimestamp,
    },
    spec: { replicas: spec.replicas ?? 0 },
    status: { replicas: status?.replicas ?? 0, selector: selector.map(([key, value]) => `${key}=${value}`).join(",") },
  };
}

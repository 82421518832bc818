import { createObject, quietly } from "../api/write.ts";
import type { SimulatedCluster } from "../cluster.ts";
import { contentHash, timestamp } from "../identity.ts";
import type { KubeObject } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { put, read } from "../store/store.ts";

export interface Happening {
  type: "Normal" | "Warning";
  reason: string;
  message: string;
  component: string;
  host?: string;
}

/** Records an Event about an object; a repeated one is counted. */
export function say(cluster: SimulatedCluster, about: KubeObject, { type, reason, message, component, host }: Happening): void {
  const events = builtin("events");
  const namespace = about.metadata.namespace ?? "default";
  const name = `${about.metadata.name}.${contentHash([about.metadata.uid, reason, message], 16)}`;
  const now = timestamp(cluster.lab.now());
  const known = read(cluster, events, namespace, name);
  if (known) {
    put(cluster, events, { ...known, count: (known.count ?? 1) + 1, lastTimestamp: now });
    return;
  }
  if (!read(cluster, builtin("namespaces"), undefined, namespace)) return;
  if (read(cluster, builtin("namespaces"), undefined, namespace)?.status?.phase === "Terminating") return;
  const { apiVersion, kind, metadata } = about;
  createObject(
    cluster,
    events,
    namespace,
    {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name },
      involvedObject: {
        kind,
        ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
        name: metadata.name,
        uid: metadata.uid,
        apiVersion,
        resourceVersion: metadata.resourceVersion,
      },
      reason,
      message,
      source: { component, ...(host !== undefined && { host }) },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      type,
      eventTime: null,
      reportingComponent: component,
      reportingInstance: host ?? "",
    },
    quietly(),
  );
}

import { createObject, quietly } from "../api/write.ts";
import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { all, put, read } from "../store/store.ts";
import { isFinished, isReady } from "./conditions.ts";
import { ownerOf } from "./pods-of.ts";

const SLICES = builtin("endpointslices.discovery.k8s.io");
const ENDPOINTS = builtin("endpoints");

/** Updates the endpoints of each Service. */
export function lookAfterEndpoints(cluster: SimulatedCluster): void {
  for (const service of all(cluster, builtin("services"))) {
    if (!service.spec.selector || service.metadata.deletionTimestamp !== undefined) continue;
    const wanted = Object.entries(service.spec.selector as Record<string, string>);
    const pods = all(cluster, builtin("pods"), service.metadata.namespace).filter(
      (pod) => pod.status?.podIP && !isFinished(pod) && wanted.every(([key, value]) => pod.metadata.labels?.[key] === value),
    );
    writeEndpoints(cluster, service, pods);
  }
}

function writeEndpoints(cluster: SimulatedCluster, service: KubeObject, pods: readonly KubeObject[]): void {
  const { name, namespace } = service.metadata;
  const ports = (service.spec.ports ?? []).map((port: Loose) => ({
    ...(port.name !== undefined && { name: port.name }),
    port: typeof port.targetPort === "number" ? port.targetPort : (namedPort(pods, port.targetPort) ?? port.port),
    protocol: port.protocol,
  }));
  const address = (pod: KubeObject) => ({ ip: pod.status.podIP, nodeName: pod.spec.nodeName, targetRef: refer(pod) });
  const counts = (pod: KubeObject) => isReady(pod) || service.spec.publishNotReadyAddresses === true;
  const ready = pods.filter(counts);
  const unready = pods.filter((pod) => !counts(pod));
  const subset = {
    ...(ready.length > 0 && { addresses: ready.map(address) }),
    ...(unready.length > 0 && { notReadyAddresses: unready.map(address) }),
    ports,
  };
  const labels = service.metadata.labels ?? {};
  store(cluster, ENDPOINTS, namespace, {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { name, labels },
    ...(pods.length > 0 && { subsets: [subset] }),
  });
  store(cluster, SLICES, namespace, {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${name}-lab`,
      labels: {
        ...labels,
        "kubernetes.io/service-name": name,
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
      },
      ownerReferences: [ownerOf(service)],
    },
    addressType: "IPv4",
    endpoints: pods.map((pod) => ({
      addresses: [pod.status.podIP],
      conditions: { ready: counts(pod), serving: isReady(pod), terminating: pod.metadata.deletionTimestamp !== undefined },
      nodeName: pod.spec.nodeName,
      targetRef: refer(pod),
    })),
    // The name is always present: kubectl's describe relies on it.
    ports: ports.map((port: Loose) => ({ name: "", ...port })),
  });
}

function namedPort(pods: readonly KubeObject[], name: string): number | undefined {
  const ports = pods.flatMap(({ spec }) => spec.containers.flatMap((it: Loose) => it.ports ?? []));
  return ports.find((port: Loose) => port.name === name)?.containerPort;
}

function refer({ metadata }: KubeObject): Loose {
  return { kind: "Pod", namespace: metadata.namespace, name: metadata.name, uid: metadata.uid };
}

function store(cluster: SimulatedCluster, resource: typeof ENDPOINTS, namespace: string | undefined, wanted: Loose): void {
  const known = read(cluster, resource, namespace, wanted.metadata.name);
  if (!known) {
    if (read(cluster, builtin("namespaces"), undefined, namespace ?? "")?.status?.phase === "Active") {
      createObject(cluster, resource, namespace, wanted, quietly());
    }
    return;
  }
  const { subsets: _, ...rest } = known;
  put(cluster, resource, { ...rest, ...wanted, metadata: { ...known.metadata, labels: wanted.metadata.labels } });
}

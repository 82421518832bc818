import type { Finding, Read } from "../engine/step.ts";
import type { KubernetesClient } from "../kubernetes/client/kubernetes-client.ts";
import type { KubernetesObject } from "../kubernetes/objects.ts";
import { givenTime } from "../talos/health/etcd-quorum.ts";
import type { ServiceNode } from "./standing.ts";

const LONGHORN_VOLUME = { apiVersion: "longhorn.io/v1beta2", kind: "Volume" };
const CEPH_CLUSTER = { apiVersion: "ceph.rook.io/v1", kind: "CephCluster" };
/** Replicas are rebuilt over the network. */
const REBUILD_MS = 30 * 60_000;

interface LonghornVolume extends KubernetesObject {
  status?: { state?: string; robustness?: string };
}

interface CephCluster extends KubernetesObject {
  status?: { ceph?: { health?: string } };
}

/** Waits until storage that keeps its data on nodes has all its copies: without that, the next node could hold the last one. */
export function storageIsHealthy(node: ServiceNode, kube: KubernetesClient, c: Read): Promise<Finding[]> {
  return givenTime(`storage can do without ${node.name}`, c, () => degradedStorage(kube, c), REBUILD_MS);
}

/** Storage on nodes that lacks copies right now. */
export async function degradedStorage(kube: KubernetesClient, c: Read): Promise<Finding[]> {
  return [...(await degradedVolumes(kube, c)), ...(await unhealthyCeph(kube, c))];
}

async function degradedVolumes(kube: KubernetesClient, c: Read): Promise<Finding[]> {
  if (!(await kube.knows(LONGHORN_VOLUME, c.signal))) return [];
  const volumes = await kube.list<LonghornVolume>(LONGHORN_VOLUME, c.signal);
  // A detached volume has robustness "unknown", and nothing that uses it.
  const degraded = volumes.filter(({ status }) => status?.robustness === "degraded" || status?.robustness === "faulted");
  if (degraded.length === 0) return [];
  const names = degraded.map(({ metadata, status }) => `${metadata.name} (${status?.robustness})`);
  return [
    fail(`Longhorn volumes lack replicas: ${names.join(", ")}`, "wait until Longhorn has rebuilt them, or repair them first"),
  ];
}

async function unhealthyCeph(kube: KubernetesClient, c: Read): Promise<Finding[]> {
  if (!(await kube.knows(CEPH_CLUSTER, c.signal))) return [];
  const clusters = await kube.list<CephCluster>(CEPH_CLUSTER, c.signal);
  const unhealthy = clusters.filter(({ status }) => status?.ceph?.health !== undefined && status.ceph.health !== "HEALTH_OK");
  return unhealthy.map(({ metadata, status }) =>
    fail(
      `Ceph cluster ${metadata.namespace}/${metadata.name} is ${status?.ceph?.health}`,
      "ceph status names what is wrong; wait until it is HEALTH_OK",
    ),
  );
}

const fail = (message: string, hint: string): Finding => ({ level: "fail", code: "STORAGE_DEGRADED", message, hint });

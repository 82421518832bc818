import type { SimulatedCluster } from "../cluster.ts";
import { findImage } from "../images/images.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { all, read } from "../store/store.ts";

export function podsOn(cluster: SimulatedCluster, node: string): KubeObject[] {
  return all(cluster, builtin("pods")).filter(({ spec }) => spec.nodeName === node);
}

function runs(pod: KubeObject, wanted: (image: string) => boolean): boolean {
  const ready = new Set((pod.status?.containerStatuses ?? []).filter((it: Loose) => it.ready).map((it: Loose) => it.name));
  return (pod.spec.containers ?? []).some(({ name, image }: Loose) => ready.has(name) && wanted(image));
}

/** Whether a CNI is running on the node. */
export function nodeRunsCni(cluster: SimulatedCluster, node: string): boolean {
  return podsOn(cluster, node).some((pod) => runs(pod, (image) => findImage(image)?.cni === true));
}

/** Whether service addresses work on the node: kube-proxy is running, or Cilium in its place. */
export function nodeCarriesServices(cluster: SimulatedCluster, node: string): boolean {
  return podsOn(cluster, node).some(
    (pod) =>
      runs(pod, (image) => findImage(image)?.proxy === true) ||
      (runs(pod, (image) => findImage(image)?.cni === true) && replacesProxy(cluster)),
  );
}

function replacesProxy(cluster: SimulatedCluster): boolean {
  const config = read(cluster, builtin("configmaps"), "kube-system", "cilium-config");
  return ["true", "strict"].includes(config?.data?.["kube-proxy-replacement"] ?? "");
}

import type { SimulatedCluster } from "../cluster.ts";
import type { Loose } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { read } from "./store.ts";

/** Whether a Service has a ready endpoint. */
export function hasReadyEndpoint(cluster: SimulatedCluster, namespace: string, service: string): boolean {
  const subsets: Loose[] = read(cluster, builtin("endpoints"), namespace, service)?.subsets ?? [];
  return subsets.some(({ addresses = [] }) => addresses.length > 0);
}

import { formatIpv4, parseCidr, parseIpv4 } from "@talosmith/lib/cidr.ts";
import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { builtin, resourcesOf } from "../resources/catalogue.ts";
import { matchesSelector } from "../store/selectors.ts";
import { all, put } from "../store/store.ts";
import { isReady } from "./conditions.ts";

const SERVICES = builtin("services");

/** Assigns addresses of a Cilium pool to Services of type LoadBalancer while Cilium's operator is running; without it they wait. */
export function balanceLoads(cluster: SimulatedCluster): void {
  const waiting = all(cluster, SERVICES).filter(
    ({ spec, status }) => spec.type === "LoadBalancer" && !status?.loadBalancer?.ingress,
  );
  if (waiting.length === 0) return;
  const pools = resourcesOf(cluster).find(
    ({ group, resource }) => group === "cilium.io" && resource === "ciliumloadbalancerippools",
  );
  if (!pools || !operatorRuns(cluster)) return;
  const used = new Set(
    all(cluster, SERVICES).flatMap(({ status }) => (status?.loadBalancer?.ingress ?? []).map(({ ip }: Loose) => ip)),
  );
  for (const service of waiting) {
    const address = all(cluster, pools)
      .filter(({ spec }) => spec?.disabled !== true && serves(spec, service))
      .flatMap(({ spec }) => [...addressesIn(spec?.blocks ?? [])])
      .find((one) => !used.has(one));
    if (address === undefined) continue;
    used.add(address);
    put(cluster, SERVICES, {
      ...service,
      status: { ...service.status, loadBalancer: { ingress: [{ ip: address, ipMode: "VIP" }] } },
    });
  }
}

function operatorRuns(cluster: SimulatedCluster): boolean {
  return all(cluster, builtin("pods")).some(
    (pod) => isReady(pod) && pod.spec.containers.some(({ image }: Loose) => /cilium\/operator/.test(String(image))),
  );
}

function serves({ serviceSelector }: Loose, { metadata }: KubeObject): boolean {
  return serviceSelector === undefined || matchesSelector(serviceSelector, metadata.labels);
}

function* addressesIn(blocks: readonly Loose[]): Generator<string> {
  for (const { cidr, start, stop = start } of blocks) {
    const range = cidr === undefined ? undefined : parseCidr(cidr);
    const [first, last] = range ? [range.network, range.broadcast] : [parseIpv4(start ?? "") ?? 1, parseIpv4(stop ?? "") ?? 0];
    for (let address = first; address <= last; address++) yield formatIpv4(address);
  }
}

import type { SimulatedCluster } from "../cluster.ts";
import { serviceAddress } from "../defaults/services.ts";
import { builtin } from "../resources/catalogue.ts";
import { read } from "../store/store.ts";
import { nodeCarriesServices } from "./node-network.ts";
import type { Resolved } from "./program.ts";
import { reachableBehind, readyBehind } from "./reach.ts";
import { NetworkTrouble } from "./trouble.ts";

const DNS = { namespace: "kube-system", name: "kube-dns" };
/** The index of cluster DNS among the service addresses, as Talos sets it. */
const DNS_PLACE = 10;

/** Resolves a name for a pod of this node through CoreDNS, if a ready CoreDNS pod is reachable. */
export function lookUp(cluster: SimulatedCluster, node: string, name: string): Resolved {
  const server = read(cluster, builtin("services"), DNS.namespace, DNS.name);
  const carried = nodeCarriesServices(cluster, node) ? server : undefined;
  // kube-proxy refuses connections to a Service without endpoints.
  if (carried && readyBehind(cluster, carried).length === 0) throw new NetworkTrouble("dns-refused", { host: name });
  const asked = carried && reachableBehind(cluster, node, carried);
  if (!asked || asked.length === 0) throw new NetworkTrouble("dns-silent", { host: name });
  const [service = "", namespace = "default", ...rest] = name.replace(/\.$/, "").split(".");
  const zone = `svc.${cluster.settings.dnsDomain}`;
  const inZone = rest.length === 0 || ["svc", zone].includes(rest.join("."));
  const found = inZone ? read(cluster, builtin("services"), namespace, service) : undefined;
  const address =
    found?.spec.clusterIP === "None" ? reachableBehind(cluster, node, found)[0]?.status.podIP : found?.spec.clusterIP;
  if (!address) throw new NetworkTrouble("unresolved", { host: name });
  return { name: `${service}.${namespace}.${zone}`, address, server: serviceAddress(cluster.settings.serviceSubnets, DNS_PLACE) };
}

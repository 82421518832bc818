import { parseIp } from "@talosmith/lib/ip.ts";
import { defaultKubernetes } from "../../catalog/talos-versions.ts";
import { minorOf, parseVersion } from "../../catalog/version.ts";
import { isVip } from "../checks/endpoint.ts";
import { type Facts, isAtProvider } from "../checks/facts.ts";
import type { ClusterConfig } from "../config.ts";
import * as defaults from "../defaults.ts";
import { areApart } from "../node-networks.ts";
import { canonical, networkText, sure } from "./values.ts";

export function clusterOf(facts: Facts): ClusterConfig {
  const cluster = sure(facts.draft.cluster);
  const endpoint = sure(cluster.endpoint);
  const address = parseIp(endpoint);
  const vip = cluster.vip ?? (address !== undefined && isVip(facts, address) ? endpoint : undefined);
  const talos = sure(parseVersion(sure(cluster.talos)));
  const { talosApiAccess } = cluster;
  return {
    name: sure(cluster.name),
    endpoint: canonical(endpoint),
    ...(vip !== undefined && { vip: canonical(vip) }),
    talos: talos.text,
    kubernetes: cluster.kubernetes ?? sure(defaultKubernetes(talos)),
    contract: cluster.contract ?? minorOf(talos),
    cni: cluster.cni ?? defaults.DEFAULT_CNI,
    scheduleOnControlPlanes: cluster.scheduleOnControlPlanes ?? !facts.pools.some(({ role }) => role === "worker"),
    podSubnets: subnetsOf("podSubnets", facts),
    serviceSubnets: subnetsOf("serviceSubnets", facts),
    dnsDomain: cluster.dnsDomain ?? defaults.DEFAULT_DNS_DOMAIN,
    certSANs: cluster.certSANs?.map((name) => canonical(sure(name))) ?? [],
    kubeletCertificates: cluster.kubeletCertificates ?? false,
    ...(talosApiAccess !== undefined && {
      talosApiAccess: {
        roles: sure(talosApiAccess.roles).map(sure),
        namespaces: sure(talosApiAccess.namespaces).map(sure),
      },
    }),
    externalCloudProvider: cluster.externalCloudProvider ?? false,
    discovery: cluster.discovery ?? true,
    kubespan: cluster.kubespan ?? (isAtProvider(facts) && cluster.discovery !== false && areApart(facts)),
  };
}

/** One for each family the nodes have, unless written. */
function subnetsOf(kind: keyof typeof defaults.DEFAULT_SUBNETS, { draft, families }: Facts): string[] {
  const written = draft.cluster?.[kind];
  return (
    written?.map((text) => networkText(sure(text))) ?? families.map((family) => defaults.DEFAULT_SUBNETS[kind][sure(family)])
  );
}

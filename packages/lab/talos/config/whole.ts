import type { RuleContext } from "./rules.ts";
import { discoversByService } from "./validate-cluster.ts";
import { at, type ConfigDocument, documentsOf, filled, list, mainOf, only, word } from "./values.ts";

/** Kinds that are allowed on control planes only. */
const CONTROL_PLANE_ONLY =
  "KubeAdmissionControlConfig KubeAggregatorCAConfig KubeAPIServerConfig KubeAuditPolicyConfig KubeAuthenticationConfig KubeAuthorizerConfig KubeControllerManagerConfig KubeCoreDNSConfig KubeEtcdEncryptionConfig KubeFlannelCNIConfig KubeProxyConfig KubeSchedulerConfig KubeServiceAccountConfig KubeTalosAPIAccessConfig".split(
    " ",
  );

/** Checks from 1.14 on that need all documents together. */
export function wholeProblems(documents: readonly ConfigDocument[], { warnings }: RuleContext): string[] {
  const main = mainOf(documents);
  const type = word(at(main, "machine.type"));
  const controlPlane = main?.machine !== undefined && (type === "controlplane" || type === "init");
  const kubernetes =
    only(documents, "KubeAPIServerCAConfig") !== undefined ||
    at(main, "cluster.ca") !== undefined ||
    at(main, "cluster.acceptedCAs") !== undefined;
  const problems = [...dnsProblems(documents), ...discoveryProblems(documents)];
  if (controlPlane && kubernetes) {
    const old = filled(at(main, "cluster.secretboxEncryptionSecret")) || filled(at(main, "cluster.aescbcEncryptionSecret"));
    if (!old && only(documents, "KubeEtcdEncryptionConfig") === undefined)
      problems.push("etcd encryption config is required for control plane machines running kube-apiserver");
  }
  if (controlPlane) warnings.push(...nodeWarnings(documents));
  const named = only(documents, "KubeClusterConfig") !== undefined || at(main, "cluster.controlPlane.endpoint") !== undefined;
  if (kubernetes && !named)
    problems.push(
      "cluster name and endpoint are required when Kubernetes is configured: either .cluster.clusterName/.cluster.controlPlane.endpoint or the KubeClusterConfig document",
    );
  const misplaced = [...new Set(documents.map(({ kind }) => kind).filter((kind) => CONTROL_PLANE_ONLY.includes(kind)))].sort();
  if (misplaced.length > 0 && !controlPlane)
    problems.push(`the following document kinds are only allowed on control plane machines: [${misplaced.join(" ")}]`);
  return problems;
}

function dnsProblems(documents: readonly ConfigDocument[]): string[] {
  const resolver = only(documents, "ResolverConfig");
  const encrypted = list(resolver?.nameservers).some((server) => /^do[th]$/i.test(word(at(server, "protocol"))));
  const hostDns = at(resolver, "hostDNS") ?? at(mainOf(documents), "machine.features.hostDNS");
  return encrypted && at(hostDns, "enabled") !== true ? ["hostDNS must be enabled when using non-default DNS protocols"] : [];
}

function discoveryProblems(documents: readonly ConfigDocument[]): string[] {
  const main = mainOf(documents);
  const discovers = documentsOf(documents, "DiscoveryServiceConfig").length > 0 || discoversByService(main?.cluster);
  const [oldId, oldSecret] = [at(main, "cluster.id"), at(main, "cluster.secret")];
  const identity = filled(oldId) || filled(oldSecret) ? undefined : only(documents, "DiscoveryIdentityConfig");
  const [id, secret] = identity ? [identity.clusterID, identity.clusterSecret] : [oldId, oldSecret];
  const enabled = "should be set when cluster discovery (DiscoveryServiceConfig) is enabled";
  const spans = only(documents, "KubeSpanConfig") ?? at(main, "machine.network.kubespan");
  return [
    ...(discovers && !filled(id) ? [`cluster ID (.cluster.id or DiscoveryIdentityConfig) ${enabled}`] : []),
    ...(discovers && !filled(secret) ? [`cluster secret (.cluster.secret or DiscoveryIdentityConfig) ${enabled}`] : []),
    ...(at(spans, "enabled") === true && !discovers ? ["KubeSpan requires cluster discovery to be enabled"] : []),
  ];
}

const ROLE_LABEL = "node-role.kubernetes.io/control-plane";

function nodeWarnings(documents: readonly ConfigDocument[]): string[] {
  const node = only(documents, "KubeNodeConfig");
  if (
    !node ||
    node.skipNodeRegistration === true ||
    (at(node, "labels") !== undefined && Object.keys(node.labels as object).includes(ROLE_LABEL))
  )
    return [];
  return [
    `KubeNodeConfig document should set the "${ROLE_LABEL}" node label on control plane machines (and, unless scheduling on control planes is allowed, the "${ROLE_LABEL}: NoSchedule" taint): unlike .machine.nodeLabels/.machine.nodeTaints, the document contents are used as-is`,
  ];
}

import { minorOf } from "../versions.ts";
import { at, type ConfigDocument, type Fields, filled, list, quoted, someSet, word } from "./values.ts";

/** An old setting that conflicts with a new document: its path, and Talos's message. The first existing one counts. */
type Old = readonly [path: string, problem: string];

const already = (what: string, path = "") => `${what} is already set in v1alpha1 config${path === "" ? "" : ` (.${path})`}`;
const stop = "Please remove it and use only the new";
const KUBERNETES_CLUSTER = "KubeClusterConfig document to avoid conflicts";

const OLD_FORMS: Readonly<Record<string, readonly Old[]>> = {
  KubeAggregatorCAConfig: [
    [
      "cluster.aggregatorCA",
      `${already("kube-apiserver aggregator CA", "cluster.aggregatorCA")}, please remove it and use the new KubeAggregatorCAConfig document instead`,
    ],
  ],
  KubeAPIServerConfig: [
    ["cluster.apiServer", already("kube-apiserver config", "cluster.apiServer")],
    ["cluster.controlPlane.localAPIServerPort", already("kube-apiserver API port", "cluster.controlPlane.localAPIServerPort")],
  ],
  KubeAPIServerCAConfig: [["cluster.ca", already("kube-apiserver CA", "cluster.ca")]],
  KubeAuditPolicyConfig: [["cluster.apiServer.auditPolicy", already("audit policy config")]],
  KubeAdmissionControlConfig: [["cluster.apiServer.admissionControl", already("admission control plugin config")]],
  KubeAuthorizerConfig: [["cluster.apiServer.admissionControl", already("admission control plugin config")]],
  KubeClusterConfig: [
    [
      "cluster.clusterName",
      `cluster name is already set in the v1alpha1 config (.cluster.clusterName). ${stop} ${KUBERNETES_CLUSTER}`,
    ],
    [
      "cluster.controlPlane.endpoint",
      `cluster endpoint is already set in the v1alpha1 config (.cluster.controlPlane.endpoint). ${stop} ${KUBERNETES_CLUSTER}`,
    ],
  ],
  KubeControllerManagerConfig: [
    ["cluster.controllerManager", already("kube-controller-manager config", "cluster.controllerManager")],
    [
      "machine.controlPlane.controllerManager",
      already("kube-controller-manager config", "machine.controlplane.controllerManager"),
    ],
  ],
  KubeSchedulerConfig: [
    ["cluster.scheduler", already("kube-scheduler config", "cluster.scheduler")],
    ["machine.controlPlane.scheduler", already("kube-scheduler config", "machine.controlplane.scheduler")],
  ],
  KubeCoreDNSConfig: [["cluster.coreDNS", already("CoreDNS config", "cluster.coreDNS")]],
  KubeCredentialProviderConfig: [
    ["machine.kubelet", "cannot use KubeCredentialProviderConfig with legacy kubelet configuration (.machine.kubelet)"],
  ],
  KubeEtcdEncryptionConfig: [
    ["cluster.secretboxEncryptionSecret", already("etcd encryption config")],
    ["cluster.aescbcEncryptionSecret", already("etcd encryption config")],
  ],
  KubeFlannelCNIConfig: [
    [
      "cluster.network",
      "cluster network config in v1alpha1 config (.machine.cluster.network) can't be used with KubeFlannelCNIConfig document, please remove it to avoid conflicts",
    ],
  ],
  KubeletConfig: [["machine.kubelet", already("kubelet config", "machine.kubelet")]],
  KubePrismConfig: [
    [
      "machine.features.kubePrism",
      "KubePrism config in v1alpha1 config (.machine.features.kubePrism) can't be used with KubePrismConfig document, please remove it to avoid conflicts",
    ],
  ],
  KubeNetworkConfig: [
    [
      "cluster.network",
      `cluster network config is already set in the v1alpha1 config (.machine.cluster.network). ${stop} KubeNetworkConfig document to avoid conflicts`,
    ],
  ],
  KubeNodeConfig: [
    "cluster.allowSchedulingOnControlPlanes",
    "cluster.allowSchedulingOnMasters",
    "machine.kubelet.skipNodeRegistration",
    "machine.kubelet.registerWithFQDN",
    "machine.kubelet.nodeIP",
    "machine.nodeLabels",
    "machine.nodeAnnotations",
    "machine.nodeTaints",
  ].map((path) => [path, already(`.${path}`)] as const),
  KubeProxyConfig: [
    [
      "cluster.proxy",
      "cluster proxy config in v1alpha1 config (.machine.cluster.proxy) can't be used with KubeProxyConfig document, please remove it to avoid conflicts",
    ],
  ],
  KubeServiceAccountConfig: [["cluster.serviceAccount", already("service account", "cluster.serviceAccount")]],
  KubeTalosAPIAccessConfig: [
    ["machine.features.kubernetesTalosAPIAccess", already(".machine.features.kubernetesTalosAPIAccess")],
  ],
  DiscoveryIdentityConfig: ["cluster.id", "cluster.secret"].map(
    (path) => [path, "cluster identity is already configured in .cluster.id/.cluster.secret of the v1alpha1 config"] as const,
  ),
  DiscoveryServiceConfig: [
    ["cluster.discovery", "discovery service is already configured in .cluster.discovery of the v1alpha1 config"],
  ],
  UnattendedInstallConfig: [
    ["machine.install", "UnattendedInstallConfig config is incompatible with v1alpha1 config (.machine.install)"],
  ],
  CRIBaseRuntimeSpecConfig: [
    ["machine.baseRuntimeSpecOverrides", "base runtime spec overrides are already set in v1alpha1 config"],
  ],
  ImageCacheConfig: [["machine.features.imageCache", already("image cache config")]],
  KubeSpanConfig: [["machine.network.kubespan", "kubespan is already configured in v1alpha1 machine.network.kubespan"]],
  HostnameConfig: [["machine.network.hostname", already("static hostname")]],
};

/** Paths at which an empty text or list counts as absent. */
const MUST_BE_FILLED = [
  "cluster.clusterName",
  "cluster.apiServer.admissionControl",
  "cluster.controlPlane.localAPIServerPort",
  "cluster.secretboxEncryptionSecret",
  "cluster.aescbcEncryptionSecret",
  "cluster.id",
  "cluster.secret",
  "machine.network.hostname",
];

/** Finds a setting given both in the old and in the new format. */
export function conflictOf(document: ConfigDocument, main: Fields, version: string): string | undefined {
  const { kind, name, fields } = document;
  const old = OLD_FORMS[kind]?.find(([path]) => {
    const found = at(main, path);
    return MUST_BE_FILLED.includes(path) ? filled(found) : found !== undefined;
  });
  if (old) return old[1];
  if (kind === "HostnameConfig" && at(main, "machine.features.stableHostname") === true) return already("stable hostname");
  if (kind === "ResolverConfig") return resolverConflict(fields, main, minorOf(version));
  if (kind === "TimeSyncConfig") return timeConflict(main);
  if (kind === "VolumeConfig" && (name === "STATE" || name === "EPHEMERAL") && someSet(fields.encryption)) {
    const legacy = at(main, `machine.systemDiskEncryption.${name.toLowerCase()}`);
    if (legacy !== undefined)
      return `system disk encryption for ${quoted(name)} is configured in both v1alpha1.Config and VolumeConfig`;
  }
  return undefined;
}

function resolverConflict(fields: Fields, main: Fields, minor: number): string | undefined {
  const network = at(main, "machine.network");
  const domains = at(network, "searchDomains");
  if (minor > 13 ? domains !== undefined : list(domains).length > 0) return already(".machine.network.searchDomains");
  if (list(at(network, "nameservers")).length > 0) return already(".machine.network.nameservers");
  if (at(network, "disableSearchDomain") === true) return already(".machine.network.disableSearchDomain");
  const hostDns = minor > 13 && someSet(fields.hostDNS) && at(main, "machine.features.hostDNS") !== undefined;
  return hostDns ? already(".machine.features.hostDNS") : undefined;
}

function timeConflict(main: Fields): string | undefined {
  const time = at(main, "machine.time");
  const both = "in both v1alpha1 and new-style configuration";
  if (at(time, "disabled") === true) return `time sync cannot be disabled ${both}`;
  if (list(at(time, "servers")).length > 0) return `time servers cannot be specified ${both}`;
  return word(at(time, "bootTimeout")) === "" || Number(at(time, "bootTimeout")) === 0
    ? undefined
    : `boot timeout cannot be specified ${both}`;
}

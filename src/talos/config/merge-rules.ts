/**
 * Where Talos' strategic merge leaves its general rules, as it stands in the types of its machinery (v1.13.9). Paths begin with the
 * kind, "v1alpha1" being the original document; a list adds nothing to a path, "*" stands for one name.
 */

/** Lists and objects that a patch replaces where others are appended or merged. */
const REPLACED = [
  "v1alpha1.cluster.network.podSubnets",
  "v1alpha1.cluster.network.serviceSubnets",
  "v1alpha1.cluster.apiServer.auditPolicy",
  "NetworkRuleConfig.portSelector.ports",
  "NetworkRuleConfig.ingress",
  // A certificate and its key belong together: a patch with the one alone would leave the other's place empty.
  "v1alpha1.machine.ca",
  "v1alpha1.cluster.ca",
  "v1alpha1.cluster.aggregatorCA",
  "v1alpha1.cluster.serviceAccount",
  "v1alpha1.cluster.etcd.ca",
  // An argument may have several values, and they are not added up.
  "v1alpha1.machine.kubelet.extraArgs.*",
  "v1alpha1.cluster.apiServer.extraArgs.*",
  "v1alpha1.cluster.controllerManager.extraArgs.*",
  "v1alpha1.cluster.proxy.extraArgs.*",
  "v1alpha1.cluster.scheduler.extraArgs.*",
  "v1alpha1.cluster.etcd.extraArgs.*",
];

/** Lists whose elements are merged with the one that has the same value here; the first key that the patch's element has counts. */
const MERGED_BY: Readonly<Record<string, readonly string[]>> = {
  "v1alpha1.machine.network.interfaces": ["interface", "deviceSelector"],
  "v1alpha1.machine.network.interfaces.vlans": ["vlanId"],
  "v1alpha1.cluster.apiServer.admissionControl": ["name"],
  "ExtensionServiceConfig.configFiles": ["mountPath"],
};

/** The same, but the element of the patch takes the other's place. */
const REPLACED_BY: Readonly<Record<string, string>> = { "ImageVerificationConfig.rules": "image" };

/** Fields that a patch of their document sets, even by not having them. */
const TAKEN_AS_IT_IS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ["VolumeConfig", "UserVolumeConfig", "RawVolumeConfig", "SwapVolumeConfig"].map((kind) => [
      kind,
      ["provisioning.minSize", "provisioning.diskSelector.match"],
    ]),
  ),
  ExistingVolumeConfig: ["discovery.volumeSelector.match"],
  LinkAliasConfig: ["selector.match"],
  OOMConfig: ["triggerExpression", "cgroupRankingExpression"],
};

/** Numbers that can be told from absent ones: here a zero in a patch counts. */
const NUMBERS_WITH_ZERO = [
  "v1alpha1.machine.network.kubespan.mtu",
  "KubeSpanConfig.mtu",
  "ZswapConfig.maxPoolPercent",
  "EthernetConfig.rings.*",
  "EthernetConfig.channels.*",
  "BondConfig.*",
];

/** Names are free here and values are text, written as numbers or not. */
const TEXTS_BY_NAME = [
  "v1alpha1.machine.env.*",
  "v1alpha1.machine.sysctls.*",
  "v1alpha1.machine.sysfs.*",
  "v1alpha1.machine.nodeLabels.*",
  "v1alpha1.machine.nodeAnnotations.*",
  "v1alpha1.machine.nodeTaints.*",
  "v1alpha1.cluster.extraManifestHeaders.*",
  "v1alpha1.cluster.apiServer.env.*",
  "v1alpha1.cluster.controllerManager.env.*",
  "v1alpha1.cluster.scheduler.env.*",
  "EnvironmentConfig.variables.*",
];

/** Words that are the zero of their type: a patch cannot go back to them. */
const ZERO_WORDS: Readonly<Record<string, string>> = { "NetworkDefaultActionConfig.ingress": "accept" };

/** Maps with free names, apart from those above: nothing can be deleted there that is not there. */
const FREE_NAMES = [
  "v1alpha1.machine.registries.mirrors.*",
  "v1alpha1.machine.registries.config.*",
  "v1alpha1.machine.baseRuntimeSpecOverrides.*",
  "v1alpha1.machine.kubelet.extraConfig.*",
  "v1alpha1.machine.kubelet.credentialProviderConfig.*",
  "v1alpha1.cluster.apiServer.auditPolicy.*",
  "v1alpha1.cluster.scheduler.config.*",
  "EthernetConfig.features.*",
];

/** Parts that are always there for Talos, said or not. */
const ALWAYS_THERE = [
  "v1alpha1.machine.registries",
  "v1alpha1.cluster.discovery.registries",
  "v1alpha1.cluster.discovery.registries.kubernetes",
  "v1alpha1.cluster.discovery.registries.service",
];

const among = (list: readonly string[]) => {
  const set = new Set(list);
  return (path: readonly string[]) => set.has(path.join(".")) || set.has([...path.slice(0, -1), "*"].join("."));
};

export const isReplaced = among(REPLACED);
export const isText = among(TEXTS_BY_NAME);
export const hasZero = among([...NUMBERS_WITH_ZERO, ...TEXTS_BY_NAME]);
export const isAlwaysThere = among(ALWAYS_THERE);
/** Whether the last name of the path is one that people give, not Talos. */
export const isFreeName = among([...TEXTS_BY_NAME, ...FREE_NAMES, ...REPLACED.filter((path) => path.endsWith("*"))]);

export function mergedBy(path: readonly string[]): readonly string[] | undefined {
  return MERGED_BY[path.join(".")];
}

export function replacedBy(path: readonly string[]): string | undefined {
  return REPLACED_BY[path.join(".")];
}

export function zeroWord(path: readonly string[]): string | undefined {
  return ZERO_WORDS[path.join(".")];
}

export function takenAsItIs(kind: string): readonly (readonly string[])[] {
  return (TAKEN_AS_IT_IS[kind] ?? []).map((path) => path.split("."));
}

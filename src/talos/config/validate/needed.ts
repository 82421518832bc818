import { isObject } from "../document.ts";
import { at, type Facts, type Found, found, isSet, isSince, ofKind } from "./facts.ts";

/** Kind → the required keys of its documents. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  LinkAliasConfig: ["selector.match"],
  BondConfig: ["links", "bondMode"],
  VLANConfig: ["vlanID", "parent"],
  WireguardConfig: ["privateKey"],
  Layer2VIPConfig: ["link"],
  HCloudVIPConfig: ["link", "apiToken"],
  StaticHostConfig: ["hostnames"],
  NetworkRuleConfig: ["portSelector.ports"],
  WatchdogTimerConfig: ["device", "timeout"],
  KmsgLogConfig: ["url"],
  ExistingVolumeConfig: ["discovery.volumeSelector.match"],
  UnattendedInstallConfig: ["provisioning.diskSelector.match"],
  DiscoveryIdentityConfig: ["clusterID", "clusterSecret"],
  DiscoveryServiceConfig: ["endpoint"],
  KubeClusterConfig: ["clusterName", "endpoint"],
  KubeNetworkConfig: ["podSubnets", "serviceSubnets"],
  KubeletConfig: ["image"],
  KubeAPIServerConfig: ["image"],
  KubeControllerManagerConfig: ["image"],
  KubeSchedulerConfig: ["image"],
  KubeProxyConfig: ["image"],
  KubeAggregatorCAConfig: ["issuingCA"],
  KubeServiceAccountConfig: ["issuer.privateKey", "issuer.issuerURL"],
  KubeAuthorizerConfig: ["type"],
  KubeExternalManifestConfig: ["url"],
  KubeFlannelCNIConfig: ["backendType"],
  KubeEtcdEncryptionConfig: ["config"],
  KubeStaticPodConfig: ["pod"],
};

/** Keys that are missing, most often because a patch deleted them or has made a new document without them. */
export function* needed(facts: Facts): Generator<Found> {
  for (const [kind, paths] of Object.entries(NEEDED))
    for (const document of ofKind(facts, kind))
      for (const path of document.enabled === false ? [] : paths)
        if (!isSet(at(document, path))) yield found(document, path, `needs ${path}`, `write ${path} in this document`);
  if (isSince(facts, "1.14")) yield* kubernetesParts(facts);
}

/** Documents of Talos 1.14 that go together. */
function* kubernetesParts(facts: Facts): Generator<Found> {
  const authority = ofKind(facts, "KubeAPIServerCAConfig")[0];
  if (authority === undefined) return;
  const { original, role } = facts;
  if (ofKind(facts, "KubeClusterConfig").length === 0 && !isSet(at(original, "cluster.controlPlane.endpoint")))
    yield found(authority, "kind", "needs a KubeClusterConfig beside it", "do not delete KubeClusterConfig");
  const encrypts = ["cluster.secretboxEncryptionSecret", "cluster.aescbcEncryptionSecret"].some((path) =>
    isSet(at(original, path)),
  );
  if (role === "controlplane" && !encrypts && ofKind(facts, "KubeEtcdEncryptionConfig").length === 0)
    yield found(authority, "kind", "needs a KubeEtcdEncryptionConfig beside it", "do not delete KubeEtcdEncryptionConfig");
  const discovers = ofKind(facts, "DiscoveryServiceConfig")[0];
  const identity = ofKind(facts, "DiscoveryIdentityConfig")[0] ?? (isObject(original.cluster) && isSet(original.cluster.id));
  if (discovers !== undefined && !identity)
    yield found(discovers, "kind", "needs a DiscoveryIdentityConfig beside it", "do not delete DiscoveryIdentityConfig");
}

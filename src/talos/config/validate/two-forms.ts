import { isObject } from "../document.ts";
import { MINORS, type Minor } from "../fields/kinds.ts";
import { at, type Facts, type Found, found, isSet, ofKind } from "./facts.ts";

/** Kind → fields of the original document with the same meaning, by the minor that introduced the conflict. */
const BOTH: Readonly<Record<Minor, Readonly<Record<string, readonly string[]>>>> = {
  "1.12": {
    ResolverConfig: ["machine.network.nameservers", "machine.network.searchDomains", "machine.network.disableSearchDomain"],
    HostnameConfig: ["machine.network.hostname", "machine.features.stableHostname"],
    TimeSyncConfig: ["machine.time.disabled", "machine.time.servers", "machine.time.bootTimeout"],
  },
  "1.13": { KubeSpanConfig: ["machine.network.kubespan"] },
  "1.14": {
    UnattendedInstallConfig: ["machine.install"],
    KubeletConfig: ["machine.kubelet"],
    KubeCredentialProviderConfig: ["machine.kubelet"],
    KubeNodeConfig: [
      ...["machine.nodeLabels", "machine.nodeAnnotations", "machine.nodeTaints"],
      ...["machine.kubelet.nodeIP", "machine.kubelet.registerWithFQDN", "machine.kubelet.skipNodeRegistration"],
      "cluster.allowSchedulingOnControlPlanes",
    ],
    KubePrismConfig: ["machine.features.kubePrism"],
    KubeTalosAPIAccessConfig: ["machine.features.kubernetesTalosAPIAccess"],
    ImageCacheConfig: ["machine.features.imageCache"],
    CRIBaseRuntimeSpecConfig: ["machine.baseRuntimeSpecOverrides"],
    DiscoveryIdentityConfig: ["cluster.id", "cluster.secret"],
    DiscoveryServiceConfig: ["cluster.discovery"],
    KubeClusterConfig: ["cluster.clusterName", "cluster.controlPlane.endpoint"],
    KubeNetworkConfig: ["cluster.network"],
    KubeFlannelCNIConfig: ["cluster.network"],
    KubeAPIServerConfig: ["cluster.apiServer", "cluster.controlPlane.localAPIServerPort"],
    KubeControllerManagerConfig: ["cluster.controllerManager", "machine.controlPlane.controllerManager"],
    KubeSchedulerConfig: ["cluster.scheduler", "machine.controlPlane.scheduler"],
    KubeProxyConfig: ["cluster.proxy"],
    KubeCoreDNSConfig: ["cluster.coreDNS"],
    KubeAPIServerCAConfig: ["cluster.ca"],
    KubeAggregatorCAConfig: ["cluster.aggregatorCA"],
    KubeServiceAccountConfig: ["cluster.serviceAccount"],
    KubeEtcdEncryptionConfig: ["cluster.secretboxEncryptionSecret", "cluster.aescbcEncryptionSecret"],
    KubeAdmissionControlConfig: ["cluster.apiServer.admissionControl"],
  },
};

/** Empty ones do not count in these, unlike elsewhere. */
const MAPS = /\.(nodeLabels|nodeAnnotations|nodeTaints|baseRuntimeSpecOverrides)$/;
/** Here even a false counts. */
const ANY_BOOL = /\.allowSchedulingOnControlPlanes$/;

/** Reports settings that are in the original document and in a separate document. */
export function* twoForms(facts: Facts): Generator<Found> {
  for (const minor of MINORS.slice(0, MINORS.indexOf(facts.minor) + 1))
    for (const [kind, places] of Object.entries(BOTH[minor]))
      if (ofKind(facts, kind).length > 0) for (const place of places) if (isSaid(facts, place)) yield clash(facts, kind, place);
  if (facts.minor === "1.14") yield* hostDns(facts);
  yield* diskEncryption(facts);
}

function isSaid({ original }: Facts, place: string): boolean {
  const value = at(original, place);
  if (MAPS.test(place)) return isObject(value) && Object.keys(value).length > 0;
  return ANY_BOOL.test(place) ? typeof value === "boolean" : isSet(value);
}

function clash({ original }: Facts, kind: string, place: string): Found {
  return found(original, place, `${place} conflicts with ${kind}, which the config has, too`, `set it in a ${kind} document`);
}

function* hostDns(facts: Facts): Generator<Found> {
  const place = "machine.features.hostDNS";
  const resolvers = ofKind(facts, "ResolverConfig").filter((one) => Object.keys(Object(at(one, "hostDNS") ?? {})).length > 0);
  if (resolvers.length > 0 && isSaid(facts, place)) yield clash(facts, "ResolverConfig", place);
}

function* diskEncryption(facts: Facts): Generator<Found> {
  for (const volume of ofKind(facts, "VolumeConfig")) {
    const place = `machine.systemDiskEncryption.${String(volume.name).toLowerCase()}`;
    if (isSet(at(volume, "encryption.provider")) && isSaid(facts, place))
      yield clash(facts, `VolumeConfig ${volume.name}`, place);
  }
}

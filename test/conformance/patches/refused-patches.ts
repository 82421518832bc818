/** Patches that Talos refuses, or warns about, on the base configs of at least one minor and role. */

const document = (kind: string, rest: string) => `apiVersion: v1alpha1\nkind: ${kind}\n${rest}`;
const named = (kind: string, rest = "") => document(kind, `name: one\n${rest}`);

const NAMED_OR_NOT: readonly (readonly [string, string])[] = [
  // Nothing but their names.
  ...["LinkAliasConfig", "BondConfig", "VLANConfig", "WireguardConfig", "Layer2VIPConfig", "HCloudVIPConfig", "StaticHostConfig"],
  ...["NetworkRuleConfig", "KmsgLogConfig", "ExistingVolumeConfig", "UserVolumeConfig", "RawVolumeConfig", "SwapVolumeConfig"],
  ...["VolumeConfig", "DiscoveryServiceConfig", "KubeAuthorizerConfig", "KubeExternalManifestConfig", "KubeStaticPodConfig"],
].map((kind) => [`${kind} with its name alone`, named(kind)] as const);

const WITHOUT_NAME: readonly (readonly [string, string])[] = [
  ...["LinkConfig", "LinkAliasConfig", "BondConfig", "BridgeConfig", "VLANConfig", "DummyLinkConfig", "WireguardConfig"],
  ...["DHCPv4Config", "DHCPv6Config", "EthernetConfig", "Layer2VIPConfig", "HCloudVIPConfig", "StaticHostConfig", "VRFConfig"],
  ...["NetworkRuleConfig", "VolumeConfig", "UserVolumeConfig", "RawVolumeConfig", "SwapVolumeConfig", "ExistingVolumeConfig"],
  ...["ExternalVolumeConfig", "RegistryMirrorConfig", "RegistryAuthConfig", "RegistryTLSConfig", "ExtensionServiceConfig"],
  ...["KmsgLogConfig", "PCIDriverRebindConfig", "TCPProbeConfig", "BlackholeRouteConfig", "RoutingRuleConfig", "HTTPProbeConfig"],
  ...["BGPInstanceConfig", "VethConfig", "LVMLogicalVolumeConfig", "LVMVolumeGroupConfig", "RAIDArrayConfig", "ContainerConfig"],
  ...["KubeInlineManifestConfig", "KubeExternalManifestConfig", "KubeStaticPodConfig", "KubeAdmissionControlConfig"],
  ...["KubeAuthorizerConfig", "DiscoveryServiceConfig", "KernelModuleConfig", "EtcFileConfig", "CRICustomizationConfig"],
].map((kind) => [`${kind} without a name`, document(kind, "")] as const);

const WITH_ONE_KEY: readonly (readonly [string, string])[] = [
  ...["UnattendedInstallConfig", "DiscoveryIdentityConfig", "KubeClusterConfig", "KubeNetworkConfig", "KubeletConfig"],
  ...["KubeAPIServerConfig", "KubeControllerManagerConfig", "KubeSchedulerConfig", "KubeProxyConfig", "KubeAggregatorCAConfig"],
  ...[
    "KubeServiceAccountConfig",
    "KubeFlannelCNIConfig",
    "KubeEtcdEncryptionConfig",
    "KubeAPIServerCAConfig",
    "WatchdogTimerConfig",
  ],
].flatMap((kind) => [
  [`${kind} with nothing in it`, `${document(kind, "$patch: delete")}\n---\n${document(kind, "")}`] as const,
  [`${kind} deleted`, document(kind, "$patch: delete")] as const,
]);

const volume = (rest: string) =>
  named("UserVolumeConfig", `provisioning: { diskSelector: { match: system_disk }, minSize: 10GiB }\n${rest}`);
const rule = (ports: string) =>
  named("NetworkRuleConfig", `portSelector: { ports: ${ports}, protocol: tcp }\ningress: [{ subnet: 10.0.0.0/8 }]`);

const volumeOn = (match: string) =>
  named("UserVolumeConfig", `provisioning: { diskSelector: { match: ${match} }, minSize: 1GB }`);
const KEY = "OJ34O6J1z4ZZB+t16c+vYrzIrKddxyU3Z2eLhwYzqE8=";

export const REFUSED: readonly (readonly [string, string])[] = [
  ...NAMED_OR_NOT,
  ...WITHOUT_NAME,
  ...WITH_ONE_KEY,
  ["an unknown kind", document("LinkConfgi", "name: one")],
  ["a kind without apiVersion", "kind: LinkConfig\nname: one"],
  ["an apiVersion without kind", "apiVersion: v1alpha1\nmachine: {}"],
  ["another apiVersion", "apiVersion: v1\nkind: LinkConfig\nname: one"],
  ["an unknown key", "machine: { netwrok: {} }"],
  ["an unknown key deep below", "machine: { kubelet: { nodeIP: { subnets: [10.0.0.0/8] } } }"],
  ["a JSON patch", "- op: add\n  path: /machine/sysctls\n  value: {}"],
  ["another word than delete", "machine: { sysctls: { $patch: replace, a: b } }"],
  ["the main document deleted", "version: v1alpha1\n$patch: delete"],
  ["machine deleted", "machine: { $patch: delete }"],
  ["cluster deleted", "cluster: { $patch: delete }"],
  ["machine.ca deleted", "machine: { ca: { $patch: delete } }"],
  ["machine.install deleted", "machine: { install: { $patch: delete } }"],
  ["no install disk", "machine: { install: { disk: { $patch: delete } } }"],
  ["the endpoint deleted", "cluster: { controlPlane: { endpoint: { $patch: delete } } }"],
  [
    "kernel arguments beside those of the image",
    "machine: { install: { disk: /dev/sda, extraKernelArgs: [a=b], grubUseUKICmdline: true } }",
  ],
  ["not to persist", "persist: false"],
  ["an unknown type of machine", "machine: { type: master }"],
  ["another CNI", "cluster: { network: { cni: { name: cilium } } }"],
  ["URLs for no CNI", "cluster: { network: { cni: { name: none, urls: ['https://example.org/a.yaml'] } } }"],
  ["a virtual IP on a card", "machine: { network: { interfaces: [{ interface: eth0, vip: { ip: 10.0.0.5 } }] } }"],
  [
    "KubeSpan without discovery",
    "cluster: { discovery: { enabled: false } }\nmachine: { network: { kubespan: { enabled: true } } }",
  ],
  [
    "KubeSpan without a discovery service",
    `${document("KubeSpanConfig", "enabled: true")}\n---\n${document("DiscoveryServiceConfig", "name: default\n$patch: delete")}`,
  ],
  ["etcd on workers", "cluster: { etcd: { ca: { crt: YQ==, key: YQ== } } }"],
  ["the key of the Talos CA", "machine: { ca: { crt: YQ==, key: YQ== } }"],
  ["the key of the Kubernetes CA", "cluster: { ca: { crt: YQ==, key: YQ== } }"],
  [
    "access to the Talos API",
    "machine: { features: { kubernetesTalosAPIAccess: { enabled: true, allowedRoles: [os:reader], allowedKubernetesNamespaces: [a] } } }",
  ],
  ["an inline manifest twice", "cluster: { inlineManifests: [{ name: a, contents: 'a: 1' }, { name: a, contents: 'b: 1' }] }"],
  ["an inline manifest without a name", "cluster: { inlineManifests: [{ contents: 'a: 1' }] }"],
  ["what the kubelet gets from Talos", "machine: { kubelet: { extraConfig: { resolvConf: /etc/x } } }"],
  ["what the kubelet gets from Talos, in its document", document("KubeletConfig", "config: { rotateCertificates: false }")],
  ["a label with spaces", "machine: { nodeLabels: { 'a b': c } }"],
  ["a label with a bad value", "machine: { nodeLabels: { a: '-' } }"],
  ["an annotation with a bad name", "machine: { nodeAnnotations: { 'a/b/c': d } }"],
  ["a taint without an effect", "machine: { nodeTaints: { a: b } }"],
  ["a label with a bad value, in its document", document("KubeNodeConfig", "labels: { a: 'b c' }")],
  ["a taint without an effect, in its document", document("KubeNodeConfig", "taints: { a: 'b:Never' }")],
  ["a hostname beside an automatic one", document("HostnameConfig", "hostname: one")],
  ["no hostname at all", document("HostnameConfig", "auto: { $patch: delete }")],
  ["an automatic hostname switched off", document("HostnameConfig", 'auto: "off"')],
  ["an old word for hostnames", document("HostnameConfig", "auto: talos-addr")],
  ["a hostname in both forms", "machine: { network: { hostname: one } }"],
  [
    "nameservers in both forms",
    `machine: { network: { nameservers: [10.0.0.1] } }\n---\n${document("ResolverConfig", "nameservers: [{ address: 10.0.0.1 }]")}`,
  ],
  [
    "search domains in both forms",
    `machine: { network: { searchDomains: [a.example.org] } }\n---\n${document("ResolverConfig", "nameservers: [{ address: 10.0.0.1 }]")}`,
  ],
  [
    "time servers in both forms",
    `machine: { time: { servers: [a.example.org] } }\n---\n${document("TimeSyncConfig", "ntp: { servers: [a.example.org] }")}`,
  ],
  [
    "KubeSpan in both forms",
    `machine: { network: { kubespan: { enabled: true } } }\n---\n${document("KubeSpanConfig", "enabled: true")}`,
  ],
  ["both sorts of time servers", document("TimeSyncConfig", "ntp: { servers: [a] }\nptp: { devices: [/dev/ptp0] }")],
  ["the kubelet in the old form", "machine: { kubelet: { extraArgs: { v: '2' } } }"],
  ["the API server in the old form", "cluster: { apiServer: { extraArgs: { v: '2' } } }"],
  ["the controller manager in the old form", "cluster: { controllerManager: { extraArgs: { v: '2' } } }"],
  ["the scheduler in the old form", "cluster: { scheduler: { extraArgs: { v: '2' } } }"],
  ["the scheduler switched off in the old form", "machine: { controlPlane: { scheduler: { disabled: true } } }"],
  ["the proxy in the old form", "cluster: { proxy: { disabled: true } }"],
  ["CoreDNS in the old form", "cluster: { coreDNS: { disabled: true } }"],
  ["subnets in the old form", "cluster: { network: { podSubnets: [10.1.0.0/16] } }"],
  ["the name in the old form", "cluster: { clusterName: two }"],
  ["labels in the old form", "machine: { nodeLabels: { a: b } }"],
  ["scheduling in the old form", "cluster: { allowSchedulingOnControlPlanes: false }"],
  ["KubePrism in the old form", "machine: { features: { kubePrism: { enabled: true, port: 7445 } } }"],
  ["host DNS in the old form", "machine: { features: { hostDNS: { enabled: true } } }"],
  ["discovery in the old form", "cluster: { discovery: { enabled: true } }"],
  ["the identity in the old form", "cluster: { id: a, secret: b }"],
  ["the service account in the old form", "cluster: { serviceAccount: { key: YQ== } }"],
  ["the aggregator in the old form", "cluster: { aggregatorCA: { crt: YQ==, key: YQ== } }"],
  ["encryption of etcd in the old form", "cluster: { secretboxEncryptionSecret: a }"],
  ["plugins in the old form", "cluster: { apiServer: { admissionControl: [{ name: A, configuration: { a: 1 } }] } }"],
  ["installation in the old form", "machine: { install: { disk: /dev/sda } }"],
  [
    "the image cache in both forms",
    `machine: { features: { imageCache: { localEnabled: true } } }\n---\n${document("ImageCacheConfig", "local: { enabled: true }")}`,
  ],
  [
    "the runtime in both forms",
    `machine: { baseRuntimeSpecOverrides: { process: {} } }\n---\n${document("CRIBaseRuntimeSpecConfig", "overrides: { process: {} }")}`,
  ],
  [
    "access to the Talos API in both forms",
    `machine: { features: { kubernetesTalosAPIAccess: { enabled: true, allowedRoles: [os:reader], allowedKubernetesNamespaces: [a] } } }\n---\n${document("KubeTalosAPIAccessConfig", "allowedRoles: [os:reader]\nallowedKubernetesNamespaces: [a]")}`,
  ],
  [
    "encryption of a disk in both forms",
    `machine: { systemDiskEncryption: { state: { provider: luks2, keys: [{ slot: 0, nodeID: {} }] } } }\n---\n${document("VolumeConfig", "name: STATE\nencryption: { provider: luks2, keys: [{ slot: 0, nodeID: {} }] }")}`,
  ],
  ["a link twice", `${named("LinkConfig", "up: true")}\n---\n${named("DummyLinkConfig", "up: true")}`],
  [
    "a volume twice",
    `${volume("")}\n---\n${named("ExistingVolumeConfig", "discovery: { volumeSelector: { match: 'volume.name == \"a\"' } }")}`,
  ],
  ["a VLAN with a large number", named("VLANConfig", "vlanID: 5000\nparent: eth0")],
  ["a VIP without an address", named("Layer2VIPConfig", "link: eth0")],
  ["a host without an address", named("StaticHostConfig", "hostnames: [a]")],
  ["ports that overlap", rule("[80, 70-90]")],
  ["ports the wrong way round", rule("[90-80]")],
  ["a port twice", rule("[80, 80]")],
  ["a mirror without a scheme", document("RegistryMirrorConfig", "name: docker.io\nendpoints: [{ url: mirror.example.org }]")],
  ["two ways to log in", document("RegistryAuthConfig", "name: docker.io\nusername: a\npassword: b\nidentityToken: c")],
  [
    "a volume with an odd name",
    document("UserVolumeConfig", "name: a_b\nprovisioning: { diskSelector: { match: system_disk }, minSize: 1GB }"),
  ],
  [
    "a volume with a long name",
    document("RawVolumeConfig", `name: ${"a".repeat(35)}\nprovisioning: { diskSelector: { match: system_disk }, minSize: 1GB }`),
  ],
  ["a volume without a size", named("SwapVolumeConfig", "provisioning: { diskSelector: { match: system_disk } }")],
  ["a volume without a disk", named("RawVolumeConfig", "provisioning: { minSize: 1GB }")],
  [
    "a volume larger at least than at most",
    named("RawVolumeConfig", "provisioning: { diskSelector: { match: system_disk }, minSize: 2GiB, maxSize: 2GB }"),
  ],
  ["a volume whose disk is chosen by no expression", volumeOn("disk.size > 100GB")],
  ["a volume whose disk is compared with a signed number", volumeOn("disk.size > 100")],
  ["a volume whose disk is chosen by what no disk has", volumeOn("disk.sise > 1u")],
  ["a volume whose disk is chosen by text", volumeOn("disk.model")],
  ["a volume whose disk is chosen by an assignment", volumeOn("'disk.model = \"x\"'")],
  [
    "a system volume whose disk is chosen by no expression",
    document("VolumeConfig", "name: EPHEMERAL\nprovisioning: { diskSelector: { match: disk.size >> 1u } }"),
  ],
  [
    "a volume found by what there is not",
    named("ExistingVolumeConfig", "discovery: { volumeSelector: { match: 'link.driver == \"a\"' } }"),
  ],
  ["a link chosen by no expression", named("LinkAliasConfig", "selector: { match: 'mac(link.driver) == \"a\"' }")],
  ["an OOM trigger of whole numbers", document("OOMConfig", "triggerExpression: memory_full_avg10 > 75")],
  ["an OOM trigger that is no condition", document("OOMConfig", "triggerExpression: memory_full_avg10")],
  ["an OOM rank that is no number", document("OOMConfig", "cgroupRankingExpression: memory_current")],
  ["a watchdog of nine seconds", document("WatchdogTimerConfig", "device: /dev/watchdog0\ntimeout: 9s")],
  ["a watchdog before its time", document("WatchdogTimerConfig", "device: /dev/watchdog0\ntimeout: -1m")],
  ["a WireGuard key that is too short", named("WireguardConfig", "privateKey: c2hvcnQ=")],
  ["a WireGuard key that is no base64", named("WireguardConfig", "privateKey: hello")],
  ["a WireGuard peer with a short key", named("WireguardConfig", `privateKey: ${KEY}\npeers: [{ publicKey: YQ== }]`)],
  [
    "a WireGuard peer with a short shared key",
    named("WireguardConfig", `privateKey: ${KEY}\npeers: [{ publicKey: ${KEY}, presharedKey: YQ== }]`),
  ],
  [
    "a WireGuard key in the old form",
    "machine: { network: { interfaces: [{ interface: wg0, wireguard: { privateKey: YQ== } }] } }",
  ],
  ["a size for STATE", document("VolumeConfig", "name: STATE\nprovisioning: { minSize: 1GB }")],
  ["encryption without keys", volume("encryption: { provider: luks2 }")],
  ["encryption without a provider", volume("encryption: { keys: [{ slot: 0, nodeID: {} }] }")],
  ["two keys in one slot", volume("encryption: { provider: luks2, keys: [{ slot: 1, nodeID: {} }, { slot: 1, tpm: {} }] }")],
  ["a key of no kind", volume("encryption: { provider: luks2, keys: [{ slot: 1 }] }")],
  ["more than all memory", document("ZswapConfig", "maxPoolPercent: 120")],
  ["an unknown mode of the proxy", document("KubeProxyConfig", "mode: fast")],
  ["a port out of range", document("KubePrismConfig", "port: 70000")],
  ["three subnets", document("KubeNetworkConfig", "podSubnets: [10.1.0.0/16, 10.2.0.0/16, fd00::/56]")],
  ["more subnets for pods than for services", document("KubeNetworkConfig", "podSubnets: [10.1.0.0/16, fd00:10::/56]")],
  ["what only control planes may have", document("KubeCoreDNSConfig", "enabled: false")],
];

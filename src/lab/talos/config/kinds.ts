/** The keys a config may have, for Talos 1.12 to 1.14: a line for each type, `key:Type` where the value has keys of its own. */
const TYPES = `
Config version debug persist machine:Machine cluster:Cluster
Machine type token ca acceptedCAs certSANs controlPlane:MachineControlPlane kubelet:Kubelet pods network:Network disks install:Install files:File env time:Time sysctls sysfs registries:Registries systemDiskEncryption features:Features udev:Udev logging:Logging kernel:Kernel seccompProfiles:Seccomp baseRuntimeSpecOverrides nodeLabels nodeAnnotations nodeTaints
MachineControlPlane controllerManager:Disabled scheduler:Disabled
Disabled disabled
Kubelet image clusterDNS extraArgs extraMounts extraConfig credentialProviderConfig defaultRuntimeSeccompProfileEnabled registerWithFQDN nodeIP:NodeIP skipNodeRegistration disableManifestsDirectory
NodeIP validSubnets
Network hostname interfaces:Device nameservers searchDomains extraHostEntries:ExtraHost kubespan:KubeSpan disableSearchDomain
Device interface deviceSelector:DeviceSelector addresses cidr routes:DeviceRoute bond bridge bridgePort vlans mtu dhcp ignore dummy dhcpOptions wireguard vip:DeviceVip
DeviceSelector busPath hardwareAddr permanentAddr pciID driver physical
DeviceRoute network gateway source metric mtu
DeviceVip ip equinixMetal hcloud
ExtraHost ip aliases
KubeSpan enabled advertiseKubernetesNetworks allowDownPeerBypass harvestExtraEndpoints mtu filters
Install disk diskSelector:InstallSelector extraKernelArgs image extensions bootloader wipe legacyBIOSSupport grubUseUKICmdline
InstallSelector size name model serial modalias uuid wwid type busPath
File content permissions path op
Time disabled servers bootTimeout
Registries mirrors config
Features rbac stableHostname kubernetesTalosAPIAccess:TalosAccess apidCheckExtKeyUsage diskQuotaSupport kubePrism:KubePrism hostDNS:HostDns imageCache:ImageCache nodeAddressSortAlgorithm
TalosAccess enabled allowedRoles allowedKubernetesNamespaces
KubePrism enabled port
HostDns enabled forwardKubeDNSToHost resolveMemberNames
ImageCache localEnabled
Udev rules
Logging destinations:Destination
Destination endpoint format extraTags
Kernel modules:Module
Module name parameters
Seccomp name value
Cluster id secret controlPlane:ControlPlane clusterName network:ClusterNetwork token aescbcEncryptionSecret secretboxEncryptionSecret ca acceptedCAs aggregatorCA serviceAccount apiServer:ApiServer controllerManager:Component proxy:Proxy scheduler:Scheduler discovery:Discovery etcd:Etcd coreDNS:CoreDns externalCloudProvider:Cloud extraManifests extraManifestHeaders inlineManifests:Inline adminKubeconfig:AdminKubeconfig allowSchedulingOnMasters allowSchedulingOnControlPlanes
ControlPlane endpoint localAPIServerPort
ClusterNetwork cni:Cni dnsDomain podSubnets serviceSubnets
Cni name urls flannel:Flannel
Flannel extraArgs kubeNetworkPoliciesEnabled
ApiServer image extraArgs extraVolumes:Volume env certSANs disablePodSecurityPolicy admissionControl:Admission auditPolicy resources authorizationConfig
Admission name configuration
Component image extraArgs extraVolumes:Volume env resources
Scheduler image extraArgs extraVolumes:Volume env resources config
Volume hostPath mountPath readonly
Proxy disabled image mode extraArgs
Discovery enabled registries:DiscoveryRegistries
DiscoveryRegistries kubernetes:Disabled service:DiscoveryService
DiscoveryService disabled endpoint
Etcd image ca extraArgs subnet advertisedSubnets listenSubnets
CoreDns disabled image
Cloud enabled manifests
Inline name contents
AdminKubeconfig certLifetime
Addressed address routePriority
Route destination gateway source metric mtu table
Selector match
Nameserver address
Search domains disableDefault
Ntp servers
Ptp devices
PortSelector ports protocol
Ingress subnet except
Endpoint url overridePath
ConfigFile content mountPath
`;

const LINK = "up mtu addresses:Addressed routes:Route multicast";

/** Besides apiVersion and kind; "*" = not looked into. */
const KINDS_1_12 = `
BondConfig *
BridgeConfig name hardwareAddr links stp vlan ${LINK}
DHCPv4Config name routeMetric ignoreHostname clientIdentifier duidRaw
DHCPv6Config name routeMetric ignoreHostname clientIdentifier duidRaw
DummyLinkConfig name hardwareAddr ${LINK}
EthernetConfig name features rings channels wakeOnLan
EventSinkConfig endpoint
ExistingVolumeConfig name discovery mount
ExtensionServiceConfig name configFiles:ConfigFile environment
HCloudVIPConfig name link apiToken
HostnameConfig auto hostname
KmsgLogConfig name url
KubeSpanEndpointsConfig extraAnnouncedEndpoints
Layer2VIPConfig name link
LinkAliasConfig name selector:Selector
LinkConfig name ${LINK}
NetworkDefaultActionConfig ingress
NetworkRuleConfig name portSelector:PortSelector ingress:Ingress
OOMConfig triggerExpression cgroupRankingExpression strictCgroupClassOrdering sampleInterval
PCIDriverRebindConfig name targetDriver
RawVolumeConfig name provisioning encryption
RegistryAuthConfig name username password auth identityToken
RegistryMirrorConfig name endpoints:Endpoint skipFallback
RegistryTLSConfig name clientIdentity ca insecureSkipVerify
ResolverConfig nameservers:Nameserver searchDomains:Search hostDNS
SideroLinkConfig apiUrl uniqueToken
StaticHostConfig name hostnames
SwapVolumeConfig name provisioning encryption
TimeSyncConfig enabled bootTimeout ntp:Ntp ptp:Ptp
TrustedRootsConfig name certificates
UserVolumeConfig name volumeType provisioning filesystem encryption mount
VLANConfig name vlanID vlanMode parent ${LINK}
VolumeConfig name provisioning encryption mount
WatchdogTimerConfig device timeout
WireguardConfig name privateKey listenPort firewallMark peers ${LINK}
ZswapConfig maxPoolPercent shrinkerEnabled
`;

const KINDS_1_13 = `
BlackholeRouteConfig name metric
EnvironmentConfig variables
ExternalVolumeConfig name filesystemType mount
ImageVerificationConfig *
KubeSpanConfig enabled advertiseKubernetesNetworks allowDownPeerBypass harvestExtraEndpoints mtu filters
RoutingRuleConfig name src dst table action iifName oifName fwMark fwMask
TCPProbeConfig name interval failureThreshold endpoint timeout
VRFConfig name hardwareAddr links table ${LINK}
`;

/** talos.md 10: the Kubernetes half as documents. The lab's machines accept them and go by the old form only. */
const KINDS_1_14 =
  "BGPInstanceConfig CRIBaseRuntimeSpecConfig CRICustomizationConfig ContainerConfig DiscoveryIdentityConfig DiscoveryServiceConfig EtcFileConfig FilesystemScrubConfig FilesystemTrimConfig HTTPProbeConfig ImageCacheConfig KernelModuleConfig KubeAPIServerCAConfig KubeAPIServerConfig KubeAdmissionControlConfig KubeAggregatorCAConfig KubeAuditPolicyConfig KubeAuthenticationConfig KubeAuthorizerConfig KubeClusterConfig KubeControllerManagerConfig KubeCoreDNSConfig KubeCredentialProviderConfig KubeEtcdEncryptionConfig KubeExternalManifestConfig KubeFlannelCNIConfig KubeInlineManifestConfig KubeNetworkConfig KubeNodeConfig KubePrismConfig KubeProxyConfig KubeSchedulerConfig KubeServiceAccountConfig KubeStaticPodConfig KubeTalosAPIAccessConfig KubeletConfig LVMLogicalVolumeConfig LVMVolumeGroupConfig RAIDArrayConfig SecurityProfileConfig SysctlConfig SysfsConfig UdevRulesConfig UnattendedInstallConfig VethConfig"
    .split(" ")
    .map((kind) => `${kind} *`)
    .join("\n");

/** The keys of a type; a key's own type when its value has keys. */
export type Keys = ReadonlyMap<string, string | undefined>;

function read(table: string): Map<string, Keys | undefined> {
  const lines = table.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => {
      const [name = "", ...keys] = line.split(" ");
      if (keys[0] === "*") return [name, undefined];
      return [name, new Map(keys.map((key) => key.split(":") as [string, string | undefined]))];
    }),
  );
}

const types = read(TYPES);
const kinds = [read(KINDS_1_12), read(KINDS_1_13), read(KINDS_1_14)];

/** undefined for a type whose keys nobody looks at. */
export function keysOfType(type: string): Keys | undefined {
  return types.get(type);
}

/** "unknown" for a kind this Talos does not have. */
export function keysOfKind(kind: string, minor: number): Keys | undefined | "unknown" {
  const found = kinds.slice(0, Math.max(1, minor - 11)).find((known) => known.has(kind));
  return found ? found.get(kind) : "unknown";
}

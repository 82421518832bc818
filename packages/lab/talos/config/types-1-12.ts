/** The types of Talos 1.12's documents, as its decoder has them; `schema.ts` describes the format. */
export const TYPES_1_12 = `
block.ByteSize !text
block.DiskSelector match:cel.Expression
block.EncryptionKey slot:int static:*block.EncryptionKeyStatic nodeID:*block.EncryptionKeyNodeID kms:*block.EncryptionKeyKMS tpm:*block.EncryptionKeyTPM lockToState:*bool
block.EncryptionKeyKMS endpoint
block.EncryptionKeyNodeID
block.EncryptionKeyStatic passphrase
block.EncryptionKeyTPM options:*block.EncryptionKeyTPMOptions checkSecurebootStatusOnEnroll:*bool
block.EncryptionKeyTPMOptions pcrs:[]int
block.EncryptionProviderType !text =int
block.EncryptionSpec provider:block.EncryptionProviderType keys:[]block.EncryptionKey cipher keySize:uint blockSize:uint64 options:[]string
block.ExistingVolumeConfigV1Alpha1 apiVersion kind name discovery:block.VolumeDiscoverySpec mount:block.MountSpec
block.FilesystemSpec type:block.FilesystemType projectQuotaSupport:*bool
block.FilesystemType !text =int
block.MountSpec readOnly:*bool
block.PercentageSize !text
block.ProvisioningSpec diskSelector:block.DiskSelector grow:*bool minSize:block.ByteSize maxSize:block.Size
block.RawVolumeConfigV1Alpha1 apiVersion kind name provisioning:block.ProvisioningSpec encryption:block.EncryptionSpec
block.Size !text percentagesize:*block.PercentageSize bytesize:*block.ByteSize
block.SwapVolumeConfigV1Alpha1 apiVersion kind name provisioning:block.ProvisioningSpec encryption:block.EncryptionSpec
block.UserVolumeConfigV1Alpha1 apiVersion kind name volumeType:*block.VolumeType provisioning:block.ProvisioningSpec filesystem:block.FilesystemSpec encryption:block.EncryptionSpec
block.VolumeConfigV1Alpha1 apiVersion kind name provisioning:block.ProvisioningSpec encryption:block.EncryptionSpec
block.VolumeDiscoverySpec volumeSelector:block.VolumeSelector
block.VolumeSelector match:cel.Expression
block.VolumeType !text =int
block.ZswapConfigV1Alpha1 apiVersion kind maxPoolPercent:*int shrinkerEnabled:*bool
cel.Expression !text
cri.RegistryAuthConfigV1Alpha1 apiVersion kind name username password auth identityToken
cri.RegistryEndpoint url:meta.URL overridePath:*bool
cri.RegistryMirrorConfigV1Alpha1 apiVersion kind name endpoints:[]cri.RegistryEndpoint skipFallback:*bool
cri.RegistryTLSConfigV1Alpha1 apiVersion kind name clientIdentity:*meta.CertificateAndKey ca insecureSkipVerify:*bool
extensions.ConfigFile content mountPath
extensions.ConfigFileList =[]extensions.ConfigFile
extensions.ServiceConfigV1Alpha1 apiVersion kind name configFiles:extensions.ConfigFileList environment:[]string
hardware.PCIDriverRebindConfigV1Alpha1 apiVersion kind name targetDriver
meta.CertificateAndKey cert key
meta.URL !yaml
nethelpers.ADLACPActive !text =uint8
nethelpers.ADSelect !text =uint8
nethelpers.ARPAllTargets !text =uint32
nethelpers.ARPValidate !text =uint32
nethelpers.AutoHostnameKind !text =uint8
nethelpers.BondMode !text =uint8
nethelpers.BondXmitHashPolicy !text =uint8
nethelpers.ClientIdentifier !text =int
nethelpers.DefaultAction !text =int
nethelpers.FailOverMAC !text =uint8
nethelpers.HardwareAddr !text =[]uint8
nethelpers.LACPRate !text =uint8
nethelpers.PrimaryReselect !text =uint8
nethelpers.Protocol !text =uint8
nethelpers.RoutingTable !text =uint32
nethelpers.VLANProtocol !text =uint16
nethelpers.WOLMode !text =int
netip.Addr !text
netip.AddrPort !text
netip.Prefix !text
network.Addr !text
network.AddrPort !text
network.AddressConfig address:netip.Prefix routePriority:*uint32
network.BondConfigV1Alpha1 apiVersion kind name hardwareAddr:nethelpers.HardwareAddr links:[]string bondMode:*nethelpers.BondMode miimon:*uint32 updelay:*uint32 downdelay:*uint32 useCarrier:*bool xmitHashPolicy:*nethelpers.BondXmitHashPolicy arpInterval:*uint32 arpIpTargets:[]netip.Addr nsIp6Targets:[]netip.Addr arpValidate:*nethelpers.ARPValidate arpAllTargets:*nethelpers.ARPAllTargets lacpRate:*nethelpers.LACPRate failOverMac:*nethelpers.FailOverMAC adSelect:*nethelpers.ADSelect adActorSysPrio:*uint16 adUserPortKey:*uint16 adLACPActive:*nethelpers.ADLACPActive primaryReselect:*nethelpers.PrimaryReselect resendIGMP:*uint32 minLinks:*uint32 lpInterval:*uint32 packetsPerSlave:*uint32 numPeerNotif:*uint8 tlbLogicalLb:*uint8 allSlavesActive:*uint8 peerNotifDelay:*uint32 missedMax:*uint8 up:*bool mtu:uint32 addresses:[]network.AddressConfig routes:[]network.RouteConfig multicast:*bool
network.BridgeConfigV1Alpha1 apiVersion kind name hardwareAddr:nethelpers.HardwareAddr links:[]string stp:network.BridgeSTPConfig vlan:network.BridgeVLANConfig up:*bool mtu:uint32 addresses:[]network.AddressConfig routes:[]network.RouteConfig multicast:*bool
network.BridgeSTPConfig enabled:*bool
network.BridgeVLANConfig filtering:*bool
network.DHCPv4ConfigV1Alpha1 apiVersion kind name routeMetric:uint32 ignoreHostname:*bool clientIdentifier:*nethelpers.ClientIdentifier duidRaw:nethelpers.HardwareAddr
network.DHCPv6ConfigV1Alpha1 apiVersion kind name routeMetric:uint32 ignoreHostname:*bool clientIdentifier:*nethelpers.ClientIdentifier duidRaw:nethelpers.HardwareAddr
network.DefaultActionConfigV1Alpha1 apiVersion kind ingress:nethelpers.DefaultAction
network.DummyLinkConfigV1Alpha1 apiVersion kind name hardwareAddr:nethelpers.HardwareAddr up:*bool mtu:uint32 addresses:[]network.AddressConfig routes:[]network.RouteConfig multicast:*bool
network.EthernetChannelsConfig rx:*uint32 tx:*uint32 other:*uint32 combined:*uint32
network.EthernetConfigV1Alpha1 apiVersion kind name features:map[string]bool rings:*network.EthernetRingsConfig channels:*network.EthernetChannelsConfig wakeOnLan:[]nethelpers.WOLMode
network.EthernetRingsConfig rx:*uint32 tx:*uint32 rx-mini:*uint32 rx-jumbo:*uint32 rx-buf-len:*uint32 cqe-size:*uint32 tx-push:*bool rx-push:*bool tx-push-buf-len:*uint32 tcp-data-split:*bool
network.HCloudVIPConfigV1Alpha1 apiVersion kind name link apiToken
network.HostnameConfigV1Alpha1 apiVersion kind auto:*nethelpers.AutoHostnameKind hostname
network.IngressConfig =[]network.IngressRule
network.IngressRule subnet:netip.Prefix except:network.Prefix
network.KubespanEndpointsConfigV1Alpha1 apiVersion kind extraAnnouncedEndpoints:[]netip.AddrPort
network.Layer2VIPConfigV1Alpha1 apiVersion kind name link
network.LinkAliasConfigV1Alpha1 apiVersion kind name selector:network.LinkSelector
network.LinkConfigV1Alpha1 apiVersion kind name up:*bool mtu:uint32 addresses:[]network.AddressConfig routes:[]network.RouteConfig multicast:*bool
network.LinkSelector match:cel.Expression
network.NTPConfig servers:[]string
network.NameserverConfig address:network.Addr
network.PTPConfig devices:[]string
network.PortRange !yaml lo:uint16 hi:uint16
network.PortRanges =[]network.PortRange
network.Prefix !text
network.ResolverConfigV1Alpha1 apiVersion kind nameservers:[]network.NameserverConfig searchDomains:network.SearchDomainsConfig
network.RouteConfig destination:network.Prefix gateway:network.Addr source:network.Addr metric:uint32 mtu:uint32 table:nethelpers.RoutingTable
network.RuleConfigV1Alpha1 apiVersion kind name portSelector:network.RulePortSelector ingress:network.IngressConfig
network.RulePortSelector ports:network.PortRanges protocol:nethelpers.Protocol
network.SearchDomainsConfig domains:[]string disableDefault:*bool
network.StaticHostConfigV1Alpha1 apiVersion kind name hostnames:[]string
network.TimeSyncConfigV1Alpha1 apiVersion kind enabled:*bool bootTimeout:time.Duration ntp:*network.NTPConfig ptp:*network.PTPConfig
network.VLANConfigV1Alpha1 apiVersion kind name vlanID:uint16 vlanMode:*nethelpers.VLANProtocol parent up:*bool mtu:uint32 addresses:[]network.AddressConfig routes:[]network.RouteConfig multicast:*bool
network.WireguardConfigV1Alpha1 apiVersion kind name privateKey listenPort:int firewallMark:int peers:[]network.WireguardPeer up:*bool mtu:uint32 addresses:[]network.AddressConfig routes:[]network.RouteConfig multicast:*bool
network.WireguardPeer publicKey presharedKey endpoint:network.AddrPort persistentKeepaliveInterval:time.Duration allowedIPs:[]network.Prefix
runtime.EventSinkV1Alpha1 apiVersion kind endpoint
runtime.KmsgLogV1Alpha1 apiVersion kind name url:meta.URL
runtime.OOMV1Alpha1 apiVersion kind triggerExpression:cel.Expression cgroupRankingExpression:cel.Expression sampleInterval:time.Duration
runtime.WatchdogTimerV1Alpha1 apiVersion kind device timeout:time.Duration
security.TrustedRootsConfigV1Alpha1 apiVersion kind name certificates
siderolink.ConfigV1Alpha1 apiVersion kind apiUrl:meta.URL uniqueToken
time.Duration =int64
v1alpha1.APIServerConfig image extraArgs:map[string]string extraVolumes:[]v1alpha1.VolumeMountConfig env:map[string]string certSANs:[]string disablePodSecurityPolicy:*bool admissionControl:v1alpha1.AdmissionPluginConfigList auditPolicy:v1alpha1.Unstructured resources:*v1alpha1.ResourcesConfig authorizationConfig:v1alpha1.AuthorizationConfigAuthorizerConfigList
v1alpha1.AdminKubeconfigConfig certLifetime:time.Duration
v1alpha1.AdmissionPluginConfig name configuration:v1alpha1.Unstructured
v1alpha1.AdmissionPluginConfigList =[]*v1alpha1.AdmissionPluginConfig
v1alpha1.AuthorizationConfigAuthorizerConfig type name webhook:v1alpha1.Unstructured
v1alpha1.AuthorizationConfigAuthorizerConfigList =[]*v1alpha1.AuthorizationConfigAuthorizerConfig
v1alpha1.Base64Bytes !yaml =[]uint8
v1alpha1.Bond interfaces:[]string deviceSelectors:[]v1alpha1.NetworkDeviceSelector arpIPTarget:[]string mode xmitHashPolicy lacpRate adActorSystem arpValidate arpAllTargets primary primaryReselect failOverMac adSelect miimon:uint32 updelay:uint32 downdelay:uint32 arpInterval:uint32 resendIgmp:uint32 minLinks:uint32 lpInterval:uint32 packetsPerSlave:uint32 numPeerNotif:uint8 tlbDynamicLb:uint8 allSlavesActive:uint8 useCarrier:*bool adActorSysPrio:uint16 adUserPortKey:uint16 peerNotifyDelay:uint32
v1alpha1.Bridge interfaces:[]string stp:*v1alpha1.STP vlan:*v1alpha1.BridgeVLAN
v1alpha1.BridgePort master
v1alpha1.BridgeVLAN vlanFiltering:*bool
v1alpha1.CNIConfig name urls:[]string flannel:*v1alpha1.FlannelCNIConfig
v1alpha1.ClusterConfig id secret controlPlane:*v1alpha1.ControlPlaneConfig clusterName network:*v1alpha1.ClusterNetworkConfig token aescbcEncryptionSecret secretboxEncryptionSecret ca:*x509.PEMEncodedCertificateAndKey acceptedCAs:[]*x509.PEMEncodedCertificate aggregatorCA:*x509.PEMEncodedCertificateAndKey serviceAccount:*x509.PEMEncodedKey apiServer:*v1alpha1.APIServerConfig controllerManager:*v1alpha1.ControllerManagerConfig proxy:*v1alpha1.ProxyConfig scheduler:*v1alpha1.SchedulerConfig discovery:*v1alpha1.ClusterDiscoveryConfig etcd:*v1alpha1.EtcdConfig coreDNS:*v1alpha1.CoreDNS externalCloudProvider:*v1alpha1.ExternalCloudProviderConfig extraManifests:[]string extraManifestHeaders:map[string]string inlineManifests:v1alpha1.ClusterInlineManifests adminKubeconfig:*v1alpha1.AdminKubeconfigConfig allowSchedulingOnMasters:*bool allowSchedulingOnControlPlanes:*bool
v1alpha1.ClusterDiscoveryConfig enabled:*bool registries:v1alpha1.DiscoveryRegistriesConfig
v1alpha1.ClusterInlineManifest name contents
v1alpha1.ClusterInlineManifests !yaml =[]v1alpha1.ClusterInlineManifest
v1alpha1.ClusterNetworkConfig cni:*v1alpha1.CNIConfig dnsDomain podSubnets:[]string serviceSubnets:[]string
v1alpha1.Config version debug:*bool persist:*bool machine:*v1alpha1.MachineConfig cluster:*v1alpha1.ClusterConfig
v1alpha1.ControlPlaneConfig endpoint:*v1alpha1.Endpoint localAPIServerPort:int
v1alpha1.ControllerManagerConfig image extraArgs:map[string]string extraVolumes:[]v1alpha1.VolumeMountConfig env:map[string]string resources:*v1alpha1.ResourcesConfig
v1alpha1.CoreDNS disabled:*bool image
v1alpha1.DHCPOptions routeMetric:uint32 ipv4:*bool ipv6:*bool duidv6
v1alpha1.Device interface deviceSelector:*v1alpha1.NetworkDeviceSelector addresses:[]string cidr routes:[]*v1alpha1.Route bond:*v1alpha1.Bond bridge:*v1alpha1.Bridge bridgePort:*v1alpha1.BridgePort vlans:v1alpha1.VlanList mtu:int dhcp:*bool ignore:*bool dummy:*bool dhcpOptions:*v1alpha1.DHCPOptions wireguard:*v1alpha1.DeviceWireguardConfig vip:*v1alpha1.DeviceVIPConfig
v1alpha1.DeviceVIPConfig ip equinixMetal:*v1alpha1.VIPEquinixMetalConfig hcloud:*v1alpha1.VIPHCloudConfig
v1alpha1.DeviceWireguardConfig privateKey listenPort:int firewallMark:int peers:[]*v1alpha1.DeviceWireguardPeer
v1alpha1.DeviceWireguardPeer publicKey endpoint persistentKeepaliveInterval:time.Duration allowedIPs:[]string
v1alpha1.DiscoveryRegistriesConfig kubernetes:v1alpha1.RegistryKubernetesConfig service:v1alpha1.RegistryServiceConfig
v1alpha1.DiskPartition size:v1alpha1.DiskSize mountpoint
v1alpha1.DiskSize !yaml =uint64
v1alpha1.EncryptionConfig provider keys:[]*v1alpha1.EncryptionKey cipher keySize:uint blockSize:uint64 options:[]string
v1alpha1.EncryptionKey static:*v1alpha1.EncryptionKeyStatic nodeID:*v1alpha1.EncryptionKeyNodeID kms:*v1alpha1.EncryptionKeyKMS slot:int tpm:*v1alpha1.EncryptionKeyTPM
v1alpha1.EncryptionKeyKMS endpoint
v1alpha1.EncryptionKeyNodeID
v1alpha1.EncryptionKeyStatic passphrase
v1alpha1.EncryptionKeyTPM checkSecurebootStatusOnEnroll:*bool
v1alpha1.Endpoint !yaml
v1alpha1.EtcdConfig image ca:*x509.PEMEncodedCertificateAndKey extraArgs:map[string]string subnet advertisedSubnets:[]string listenSubnets:[]string
v1alpha1.ExternalCloudProviderConfig enabled:*bool manifests:[]string
v1alpha1.ExtraHost ip aliases:[]string
v1alpha1.ExtraMount destination type source options:[]string uidMappings:[]v1alpha1.LinuxIDMapping gidMappings:[]v1alpha1.LinuxIDMapping
v1alpha1.FeaturesConfig rbac:*bool stableHostname:*bool kubernetesTalosAPIAccess:*v1alpha1.KubernetesTalosAPIAccessConfig apidCheckExtKeyUsage:*bool diskQuotaSupport:*bool kubePrism:*v1alpha1.KubePrism hostDNS:*v1alpha1.HostDNSConfig imageCache:*v1alpha1.ImageCacheConfig nodeAddressSortAlgorithm
v1alpha1.FileMode =uint32
v1alpha1.FlannelCNIConfig extraArgs:[]string
v1alpha1.HostDNSConfig enabled:*bool forwardKubeDNSToHost:*bool resolveMemberNames:*bool
v1alpha1.ImageCacheConfig localEnabled:*bool
v1alpha1.InstallConfig disk diskSelector:*v1alpha1.InstallDiskSelector extraKernelArgs:[]string image extensions:[]v1alpha1.InstallExtensionConfig bootloader:*bool wipe:*bool legacyBIOSSupport:*bool grubUseUKICmdline:*bool
v1alpha1.InstallDiskSelector size:*v1alpha1.InstallDiskSizeMatcher name model serial modalias uuid wwid type:v1alpha1.InstallDiskType busPath
v1alpha1.InstallDiskSizeMatchData op size:uint64
v1alpha1.InstallDiskSizeMatcher !yaml matchdata:v1alpha1.InstallDiskSizeMatchData
v1alpha1.InstallDiskType =string
v1alpha1.InstallExtensionConfig image
v1alpha1.KernelConfig modules:[]*v1alpha1.KernelModuleConfig
v1alpha1.KernelModuleConfig name parameters:[]string
v1alpha1.KubePrism enabled:*bool port:int
v1alpha1.KubeSpanFilters endpoints:[]string excludeAdvertisedNetworks:[]string
v1alpha1.KubeletConfig image clusterDNS:[]string extraArgs:map[string]string extraMounts:[]v1alpha1.ExtraMount extraConfig:v1alpha1.Unstructured credentialProviderConfig:v1alpha1.Unstructured defaultRuntimeSeccompProfileEnabled:*bool registerWithFQDN:*bool nodeIP:*v1alpha1.KubeletNodeIPConfig skipNodeRegistration:*bool disableManifestsDirectory:*bool
v1alpha1.KubeletNodeIPConfig validSubnets:[]string
v1alpha1.KubernetesTalosAPIAccessConfig enabled:*bool allowedRoles:[]string allowedKubernetesNamespaces:[]string
v1alpha1.LinuxIDMapping containerID:uint32 hostID:uint32 size:uint32
v1alpha1.LoggingConfig destinations:[]v1alpha1.LoggingDestination
v1alpha1.LoggingDestination endpoint:*v1alpha1.Endpoint format extraTags:map[string]string
v1alpha1.MachineConfig type token ca:*x509.PEMEncodedCertificateAndKey acceptedCAs:[]*x509.PEMEncodedCertificate certSANs:[]string controlPlane:*v1alpha1.MachineControlPlaneConfig kubelet:*v1alpha1.KubeletConfig pods:[]v1alpha1.Unstructured network:*v1alpha1.NetworkConfig disks:[]*v1alpha1.MachineDisk install:*v1alpha1.InstallConfig files:[]*v1alpha1.MachineFile env:map[string]string time:*v1alpha1.TimeConfig sysctls:map[string]string sysfs:map[string]string registries:v1alpha1.RegistriesConfig systemDiskEncryption:*v1alpha1.SystemDiskEncryptionConfig features:*v1alpha1.FeaturesConfig udev:*v1alpha1.UdevConfig logging:*v1alpha1.LoggingConfig kernel:*v1alpha1.KernelConfig seccompProfiles:[]*v1alpha1.MachineSeccompProfile baseRuntimeSpecOverrides:v1alpha1.Unstructured nodeLabels:map[string]string nodeAnnotations:map[string]string nodeTaints:map[string]string
v1alpha1.MachineControlPlaneConfig controllerManager:*v1alpha1.MachineControllerManagerConfig scheduler:*v1alpha1.MachineSchedulerConfig
v1alpha1.MachineControllerManagerConfig disabled:*bool
v1alpha1.MachineDisk device partitions:[]*v1alpha1.DiskPartition
v1alpha1.MachineFile content permissions:v1alpha1.FileMode path op
v1alpha1.MachineSchedulerConfig disabled:*bool
v1alpha1.MachineSeccompProfile name value:v1alpha1.Unstructured
v1alpha1.NetworkConfig hostname interfaces:v1alpha1.NetworkDeviceList nameservers:[]string searchDomains:[]string extraHostEntries:[]*v1alpha1.ExtraHost kubespan:*v1alpha1.NetworkKubeSpan disableSearchDomain:*bool
v1alpha1.NetworkDeviceList =[]*v1alpha1.Device
v1alpha1.NetworkDeviceSelector busPath hardwareAddr permanentAddr pciID driver physical:*bool
v1alpha1.NetworkKubeSpan enabled:*bool advertiseKubernetesNetworks:*bool allowDownPeerBypass:*bool harvestExtraEndpoints:*bool mtu:*uint32 filters:*v1alpha1.KubeSpanFilters
v1alpha1.ProxyConfig disabled:*bool image mode extraArgs:map[string]string
v1alpha1.RegistriesConfig mirrors:map[string]*v1alpha1.RegistryMirrorConfig config:map[string]*v1alpha1.RegistryConfig
v1alpha1.RegistryAuthConfig username password auth identityToken
v1alpha1.RegistryConfig tls:*v1alpha1.RegistryTLSConfig auth:*v1alpha1.RegistryAuthConfig
v1alpha1.RegistryKubernetesConfig disabled:*bool
v1alpha1.RegistryMirrorConfig endpoints:[]string overridePath:*bool skipFallback:*bool
v1alpha1.RegistryServiceConfig disabled:*bool endpoint
v1alpha1.RegistryTLSConfig clientIdentity:*x509.PEMEncodedCertificateAndKey ca:v1alpha1.Base64Bytes insecureSkipVerify:*bool
v1alpha1.ResourcesConfig requests:v1alpha1.Unstructured limits:v1alpha1.Unstructured
v1alpha1.Route network gateway source metric:uint32 mtu:uint32
v1alpha1.STP enabled:*bool
v1alpha1.SchedulerConfig image extraArgs:map[string]string extraVolumes:[]v1alpha1.VolumeMountConfig env:map[string]string resources:*v1alpha1.ResourcesConfig config:v1alpha1.Unstructured
v1alpha1.SystemDiskEncryptionConfig state:*v1alpha1.EncryptionConfig ephemeral:*v1alpha1.EncryptionConfig
v1alpha1.TimeConfig disabled:*bool servers:[]string bootTimeout:time.Duration
v1alpha1.UdevConfig rules:[]string
v1alpha1.Unstructured =map[string]any
v1alpha1.VIPEquinixMetalConfig apiToken
v1alpha1.VIPHCloudConfig apiToken
v1alpha1.Vlan addresses:[]string cidr routes:[]*v1alpha1.Route dhcp:*bool vlanId:uint16 mtu:uint32 vip:*v1alpha1.DeviceVIPConfig dhcpOptions:*v1alpha1.DHCPOptions
v1alpha1.VlanList =[]*v1alpha1.Vlan
v1alpha1.VolumeMountConfig hostPath mountPath readonly:bool
x509.PEMEncodedCertificate !yaml crt:[]uint8
x509.PEMEncodedCertificateAndKey !yaml crt:[]uint8 key:[]uint8
x509.PEMEncodedKey !yaml key:[]uint8
`;

/** The type of each kind of document; "v1alpha1" is the one without a kind. */
export const KINDS_1_12 = `
BondConfig network.BondConfigV1Alpha1
BridgeConfig network.BridgeConfigV1Alpha1
DHCPv4Config network.DHCPv4ConfigV1Alpha1
DHCPv6Config network.DHCPv6ConfigV1Alpha1
DummyLinkConfig network.DummyLinkConfigV1Alpha1
EthernetConfig network.EthernetConfigV1Alpha1
EventSinkConfig runtime.EventSinkV1Alpha1
ExistingVolumeConfig block.ExistingVolumeConfigV1Alpha1
ExtensionServiceConfig extensions.ServiceConfigV1Alpha1
HCloudVIPConfig network.HCloudVIPConfigV1Alpha1
HostnameConfig network.HostnameConfigV1Alpha1
KmsgLogConfig runtime.KmsgLogV1Alpha1
KubeSpanEndpointsConfig network.KubespanEndpointsConfigV1Alpha1
Layer2VIPConfig network.Layer2VIPConfigV1Alpha1
LinkAliasConfig network.LinkAliasConfigV1Alpha1
LinkConfig network.LinkConfigV1Alpha1
NetworkDefaultActionConfig network.DefaultActionConfigV1Alpha1
NetworkRuleConfig network.RuleConfigV1Alpha1
OOMConfig runtime.OOMV1Alpha1
PCIDriverRebindConfig hardware.PCIDriverRebindConfigV1Alpha1
RawVolumeConfig block.RawVolumeConfigV1Alpha1
RegistryAuthConfig cri.RegistryAuthConfigV1Alpha1
RegistryMirrorConfig cri.RegistryMirrorConfigV1Alpha1
RegistryTLSConfig cri.RegistryTLSConfigV1Alpha1
ResolverConfig network.ResolverConfigV1Alpha1
SideroLinkConfig siderolink.ConfigV1Alpha1
StaticHostConfig network.StaticHostConfigV1Alpha1
SwapVolumeConfig block.SwapVolumeConfigV1Alpha1
TimeSyncConfig network.TimeSyncConfigV1Alpha1
TrustedRootsConfig security.TrustedRootsConfigV1Alpha1
UserVolumeConfig block.UserVolumeConfigV1Alpha1
VLANConfig network.VLANConfigV1Alpha1
VolumeConfig block.VolumeConfigV1Alpha1
WatchdogTimerConfig runtime.WatchdogTimerV1Alpha1
WireguardConfig network.WireguardConfigV1Alpha1
ZswapConfig block.ZswapConfigV1Alpha1
v1alpha1 v1alpha1.Config
`;

/** Types that Talos 1.14 added or changed. */
export const TYPES_1_14 = `
block.EncryptionSpec provider:block.EncryptionProviderType keys:[]block.EncryptionKey cipher keySize:uint blockSize:uint64 options:[]string allowDiscards:*bool
block.ExistingVolumeConfigV1Alpha1 apiVersion kind name discovery:block.VolumeDiscoverySpec mount:block.ExistingMountSpec trim:*block.TrimConfig scrub:*block.ScrubConfig
block.FilesystemScrubConfigV1Alpha1 apiVersion kind interval:time.Duration
block.FilesystemSpec type:block.FilesystemType projectQuotaSupport:*bool xfs:*block.XFSSpec
block.FilesystemTrimConfigV1Alpha1 apiVersion kind interval:time.Duration
block.MountSpec secure:*bool disableAccessTime:*bool
block.ScrubConfig enabled:*bool interval:time.Duration
block.SystemVolumeFilesystemSpec xfs:*block.XFSSpec
block.TrimConfig enabled:*bool interval:time.Duration
block.UserVolumeConfigV1Alpha1 apiVersion kind name volumeType:*block.VolumeType provisioning:block.ProvisioningSpec filesystem:block.FilesystemSpec encryption:block.EncryptionSpec mount:block.UserMountSpec trim:*block.TrimConfig scrub:*block.ScrubConfig
block.VolumeConfigV1Alpha1 apiVersion kind name provisioning:block.ProvisioningSpec filesystem:block.SystemVolumeFilesystemSpec encryption:block.EncryptionSpec mount:block.MountSpec trim:*block.TrimConfig scrub:*block.ScrubConfig
block.XFSSpec minAllocationGroupSize:block.ByteSize
cluster.DiscoveryIdentityConfigV1Alpha1 apiVersion kind clusterID clusterSecret
cluster.DiscoveryServiceConfigV1Alpha1 apiVersion kind name endpoint:meta.URL
config.ContainerNetworkMode =string
config.ContainerSecurityProfile =string
container.ContainerCapabilities add:[]string drop:[]string
container.ContainerConfigV1Alpha1 apiVersion kind name image entrypoint:[]string args:[]string workingDir runAs:*container.ContainerRunAs environment:[]string mounts:[]container.ContainerMount security:*container.ContainerSecurity network:*container.ContainerNetwork resources:*container.ContainerResources dependsOn:*container.ContainerDependsOn
container.ContainerDependsOn paths:[]string networks:[]string time:*bool containers:[]string
container.ContainerMount userVolume:*container.UserVolumeMount tmpfs:*container.TmpfsMount hostPath:*container.HostPathMount
container.ContainerNetwork mode:config.ContainerNetworkMode
container.ContainerResourceLimits cpu memory
container.ContainerResources limits:*container.ContainerResourceLimits
container.ContainerRunAs uid:*int32 gid:*int32
container.ContainerSecurity profile:config.ContainerSecurityProfile capabilities:*container.ContainerCapabilities machinedAccess:bool
container.HostPathMount source destination options:[]string
container.TmpfsMount destination size options:[]string
container.UserVolumeMount name destination options:[]string
cri.CRIBaseRuntimeSpecConfigV1Alpha1 apiVersion kind overrides:meta.Unstructured
cri.CRICustomizationConfigV1Alpha1 apiVersion kind name content
cri.ImageCacheConfigV1Alpha1 apiVersion kind local:cri.LocalImageCacheConfig
cri.LocalImageCacheConfig enabled:*bool
k8s.AcceptedServiceAccountConfig publicKeys:[]string issuers:[]meta.URL audiences:[]string
k8s.IssuerServiceAccountConfig privateKey issuerURL:meta.URL
k8s.KubeAPIServerCAConfigV1Alpha1 apiVersion kind issuingCA:*meta.CertificateAndKey acceptedCAs:[]string
k8s.KubeAPIServerConfigV1Alpha1 apiVersion kind image extraArgs:meta.Args env:map[string]string resources:k8s.ResourcesConfig apiPort:*int certExtraSANs:[]string startupProbes:*bool
k8s.KubeAdmissionControlConfigV1Alpha1 apiVersion kind name configuration:meta.Unstructured
k8s.KubeAggregatorCAConfigV1Alpha1 apiVersion kind issuingCA:*meta.CertificateAndKey acceptedCAs:[]string
k8s.KubeAuditPolicyConfigV1Alpha1 apiVersion kind configuration:meta.Unstructured
k8s.KubeAuthenticationConfigV1Alpha1 apiVersion kind configuration:meta.Unstructured
k8s.KubeAuthorizerConfigV1Alpha1 apiVersion kind name type webhook:meta.Unstructured
k8s.KubeClusterConfigV1Alpha1 apiVersion kind clusterName endpoint:meta.URL
k8s.KubeControllerManagerConfigV1Alpha1 apiVersion kind enabled:*bool image extraArgs:meta.Args env:map[string]string resources:k8s.ResourcesConfig
k8s.KubeCoreDNSConfigV1Alpha1 apiVersion kind enabled:*bool image
k8s.KubeCredentialProviderConfigV1Alpha1 apiVersion kind configuration:meta.Unstructured
k8s.KubeEtcdEncryptionConfigV1Alpha1 apiVersion kind config:meta.Unstructured
k8s.KubeExternalManifestConfigV1Alpha1 apiVersion kind name headers:map[string]string url:meta.URL
k8s.KubeFlannelCNIConfigV1Alpha1 apiVersion kind backendType backendPort:uint16 backendMTU:uint32 backendExtraConfig:meta.Unstructured resources:k8s.ResourcesConfig extraArgs:[]string kubeNetworkPoliciesEnabled:*bool
k8s.KubeInlineManifestConfigV1Alpha1 apiVersion kind name manifest
k8s.KubeNetworkConfigV1Alpha1 apiVersion kind dnsDomain podSubnets:[]meta.Prefix serviceSubnets:[]meta.Prefix nodeCIDRMaskSizeIPv4:int nodeCIDRMaskSizeIPv6:int
k8s.KubeNodeConfigV1Alpha1 apiVersion kind skipNodeRegistration:*bool registerWithFQDN:*bool nodeIP:k8s.NodeIPConfig labels:map[string]string annotations:map[string]string taints:map[string]string
k8s.KubePrismConfigV1Alpha1 apiVersion kind port:int tlsServerName
k8s.KubeProxyConfigV1Alpha1 apiVersion kind enabled:*bool image mode config:meta.Unstructured extraArgs:meta.Args resources:k8s.ResourcesConfig
k8s.KubeSchedulerConfigV1Alpha1 apiVersion kind enabled:*bool image config:meta.Unstructured extraArgs:meta.Args env:map[string]string resources:k8s.ResourcesConfig
k8s.KubeServiceAccountConfigV1Alpha1 apiVersion kind issuer:k8s.IssuerServiceAccountConfig accepted:k8s.AcceptedServiceAccountConfig
k8s.KubeStaticPodConfigV1Alpha1 apiVersion kind name pod:meta.Unstructured
k8s.KubeTalosAPIAccessConfigV1Alpha1 apiVersion kind allowedRoles:[]string allowedKubernetesNamespaces:[]string
k8s.KubeletConfigV1Alpha1 apiVersion kind image config:meta.Unstructured extraArgs:meta.Args clusterDNS:[]string defaultRuntimeSeccompProfileEnabled:*bool
k8s.NodeIPConfig validSubnets:[]string
k8s.ResourcesConfig requests:meta.Unstructured limits:meta.Unstructured
meta.Addr !text
meta.AddrPort !text
meta.ArgValue !yaml
meta.Args =map[string]meta.ArgValue
meta.Prefix !text
meta.Unstructured =map[string]any
nethelpers.DNSProtocol !text =uint8
network.BGPBFDConfig transmitInterval:time.Duration receiveInterval:time.Duration detectMultiplier:uint8
network.BGPImportRoute bgpInstance prefixes:[]meta.Prefix
network.BGPInstanceConfigV1Alpha1 apiVersion kind name vrf localASN:uint32 routerID:meta.Addr routeSource:meta.Addr advertise:[]string multipath:*bool maxPaths:uint8 installRoutes:*bool importRoutes:[]network.BGPImportRoute neighbors:[]network.BGPNeighborConfig
network.BGPNeighborConfig address:meta.Addr link peerASN:uint32 localASN:uint32 passive:bool holdTime:time.Duration bfd:*network.BGPBFDConfig
network.DHCPv4ConfigV1Alpha1 apiVersion kind name routeMetric:uint32 ignoreHostname:*bool ignoreRoutes:*bool clientIdentifier:*nethelpers.ClientIdentifier duidRaw:nethelpers.HardwareAddr
network.HTTPProbeConfigV1Alpha1 apiVersion kind name interval:time.Duration failureThreshold:int url:meta.URL timeout:time.Duration
network.HostDNSConfig enabled:*bool forwardKubeDNSToHost:*bool resolveMemberNames:*bool
network.IngressRule subnet:netip.Prefix except:meta.Prefix
network.KubeSpanFiltersConfig endpoints:[]string excludeAdvertisedNetworks:[]meta.Prefix
network.NTPConfig servers:[]string useNTS:*bool
network.NameserverConfig address:meta.Addr protocol:nethelpers.DNSProtocol tlsServerName
network.ResolverConfigV1Alpha1 apiVersion kind nameservers:[]network.NameserverConfig searchDomains:network.SearchDomainsConfig hostDNS:network.HostDNSConfig
network.RouteConfig destination:meta.Prefix gateway:meta.Addr source:meta.Addr metric:uint32 mtu:uint32 table:nethelpers.RoutingTable
network.RoutingRuleConfigV1Alpha1 apiVersion kind name src:meta.Prefix dst:meta.Prefix table:nethelpers.RoutingTable action:nethelpers.RoutingRuleAction iifName oifName fwMark:uint32 fwMask:uint32
network.SearchDomainList =[]string
network.SearchDomainsConfig domains:network.SearchDomainList disableDefault:*bool
network.VethConfigV1Alpha1 apiVersion kind name peer:network.VethPeerConfig up:*bool mtu:uint32 addresses:[]network.AddressConfig routes:[]network.RouteConfig multicast:*bool
network.VethPeerConfig name up:*bool mtu:uint32 addresses:[]network.AddressConfig routes:[]network.RouteConfig multicast:*bool
network.WireguardPeer publicKey presharedKey endpoint:meta.AddrPort persistentKeepaliveInterval:time.Duration allowedIPs:[]meta.Prefix
runtime.DiskSelectorSpec match:cel.Expression
runtime.EtcFileConfigV1Alpha1 apiVersion kind name mode:runtime.EtcFileMode contents
runtime.EtcFileMode =uint32
runtime.InstallerSpec image
runtime.KernelModuleConfigV1Alpha1 apiVersion kind name parameters:[]string
runtime.ProvisioningSpec diskSelector:runtime.DiskSelectorSpec wipe:*bool
runtime.SecurityProfileConfigV1Alpha1 apiVersion kind workloadIsolation:*bool
runtime.SysctlConfigV1Alpha1 apiVersion kind params:map[string]string
runtime.SysfsConfigV1Alpha1 apiVersion kind params:map[string]string
runtime.UdevRulesConfigV1Alpha1 apiVersion kind rules:[]string
runtime.UnattendedInstallConfigV1Alpha1 apiVersion kind reboot:*bool installer:runtime.InstallerSpec provisioning:runtime.ProvisioningSpec
storage.LVMLogicalVolumeConfigV1Alpha1 apiVersion kind name type:storage.LVMLogicalVolumeType mirrors:*uint32 stripes:*uint32 provisioning:storage.LVMLogicalVolumeProvisioningSpec
storage.LVMLogicalVolumeProvisioningSpec volumeGroup minSize:block.ByteSize maxSize:block.Size
storage.LVMLogicalVolumeType !text =int
storage.LVMVolumeGroupConfigV1Alpha1 apiVersion kind name provisioning:storage.ProvisioningSpec
storage.LVMVolumeSelectorSpec match:cel.Expression
storage.MDLevel !text =int
storage.MDMetadata !text =int
storage.ProvisioningSpec volumeSelector:storage.LVMVolumeSelectorSpec
storage.RAIDArrayConfigV1Alpha1 apiVersion kind name level:storage.MDLevel metadata:storage.MDMetadata provisioning:storage.RAIDProvisioningSpec
storage.RAIDProvisioningSpec volumeSelector:storage.RAIDVolumeSelector
storage.RAIDVolumeSelector match:cel.Expression
v1alpha1.APIServerConfig image extraArgs:meta.Args extraVolumes:[]v1alpha1.VolumeMountConfig env:map[string]string certSANs:[]string disablePodSecurityPolicy:*bool admissionControl:v1alpha1.AdmissionPluginConfigList auditPolicy:meta.Unstructured resources:*v1alpha1.ResourcesConfig authorizationConfig:v1alpha1.AuthorizationConfigAuthorizerConfigList
v1alpha1.AdmissionPluginConfig name configuration:meta.Unstructured
v1alpha1.AuthorizationConfigAuthorizerConfig type name webhook:meta.Unstructured
v1alpha1.ControllerManagerConfig image extraArgs:meta.Args extraVolumes:[]v1alpha1.VolumeMountConfig env:map[string]string resources:*v1alpha1.ResourcesConfig
v1alpha1.EtcdConfig image ca:*x509.PEMEncodedCertificateAndKey extraArgs:meta.Args subnet advertisedSubnets:[]string listenSubnets:[]string
v1alpha1.KubeletConfig image clusterDNS:[]string extraArgs:meta.Args extraMounts:[]v1alpha1.ExtraMount extraConfig:meta.Unstructured credentialProviderConfig:meta.Unstructured defaultRuntimeSeccompProfileEnabled:*bool registerWithFQDN:*bool nodeIP:*v1alpha1.KubeletNodeIPConfig skipNodeRegistration:*bool disableManifestsDirectory:*bool
v1alpha1.MachineConfig type token ca:*x509.PEMEncodedCertificateAndKey acceptedCAs:[]*x509.PEMEncodedCertificate certSANs:[]string controlPlane:*v1alpha1.MachineControlPlaneConfig kubelet:*v1alpha1.KubeletConfig pods:[]meta.Unstructured network:*v1alpha1.NetworkConfig disks:[]*v1alpha1.MachineDisk install:*v1alpha1.InstallConfig files:[]*v1alpha1.MachineFile env:map[string]string time:*v1alpha1.TimeConfig sysctls:map[string]string sysfs:map[string]string registries:v1alpha1.RegistriesConfig systemDiskEncryption:*v1alpha1.SystemDiskEncryptionConfig features:*v1alpha1.FeaturesConfig udev:*v1alpha1.UdevConfig logging:*v1alpha1.LoggingConfig kernel:*v1alpha1.KernelConfig seccompProfiles:[]*v1alpha1.MachineSeccompProfile baseRuntimeSpecOverrides:meta.Unstructured nodeLabels:map[string]string nodeAnnotations:map[string]string nodeTaints:map[string]string
v1alpha1.MachineSeccompProfile name value:meta.Unstructured
v1alpha1.ProxyConfig disabled:*bool image mode extraArgs:meta.Args
v1alpha1.ResourcesConfig requests:meta.Unstructured limits:meta.Unstructured
v1alpha1.SchedulerConfig image extraArgs:meta.Args extraVolumes:[]v1alpha1.VolumeMountConfig env:map[string]string resources:*v1alpha1.ResourcesConfig config:meta.Unstructured
`;

/** The type of each kind of document; "v1alpha1" is the one without a kind. */
export const KINDS_1_14 = `
BGPInstanceConfig network.BGPInstanceConfigV1Alpha1
CRIBaseRuntimeSpecConfig cri.CRIBaseRuntimeSpecConfigV1Alpha1
CRICustomizationConfig cri.CRICustomizationConfigV1Alpha1
ContainerConfig container.ContainerConfigV1Alpha1
DiscoveryIdentityConfig cluster.DiscoveryIdentityConfigV1Alpha1
DiscoveryServiceConfig cluster.DiscoveryServiceConfigV1Alpha1
EtcFileConfig runtime.EtcFileConfigV1Alpha1
FilesystemScrubConfig block.FilesystemScrubConfigV1Alpha1
FilesystemTrimConfig block.FilesystemTrimConfigV1Alpha1
HTTPProbeConfig network.HTTPProbeConfigV1Alpha1
ImageCacheConfig cri.ImageCacheConfigV1Alpha1
KernelModuleConfig runtime.KernelModuleConfigV1Alpha1
KubeAPIServerCAConfig k8s.KubeAPIServerCAConfigV1Alpha1
KubeAPIServerConfig k8s.KubeAPIServerConfigV1Alpha1
KubeAdmissionControlConfig k8s.KubeAdmissionControlConfigV1Alpha1
KubeAggregatorCAConfig k8s.KubeAggregatorCAConfigV1Alpha1
KubeAuditPolicyConfig k8s.KubeAuditPolicyConfigV1Alpha1
KubeAuthenticationConfig k8s.KubeAuthenticationConfigV1Alpha1
KubeAuthorizerConfig k8s.KubeAuthorizerConfigV1Alpha1
KubeClusterConfig k8s.KubeClusterConfigV1Alpha1
KubeControllerManagerConfig k8s.KubeControllerManagerConfigV1Alpha1
KubeCoreDNSConfig k8s.KubeCoreDNSConfigV1Alpha1
KubeCredentialProviderConfig k8s.KubeCredentialProviderConfigV1Alpha1
KubeEtcdEncryptionConfig k8s.KubeEtcdEncryptionConfigV1Alpha1
KubeExternalManifestConfig k8s.KubeExternalManifestConfigV1Alpha1
KubeFlannelCNIConfig k8s.KubeFlannelCNIConfigV1Alpha1
KubeInlineManifestConfig k8s.KubeInlineManifestConfigV1Alpha1
KubeNetworkConfig k8s.KubeNetworkConfigV1Alpha1
KubeNodeConfig k8s.KubeNodeConfigV1Alpha1
KubePrismConfig k8s.KubePrismConfigV1Alpha1
KubeProxyConfig k8s.KubeProxyConfigV1Alpha1
KubeSchedulerConfig k8s.KubeSchedulerConfigV1Alpha1
KubeServiceAccountConfig k8s.KubeServiceAccountConfigV1Alpha1
KubeStaticPodConfig k8s.KubeStaticPodConfigV1Alpha1
KubeTalosAPIAccessConfig k8s.KubeTalosAPIAccessConfigV1Alpha1
KubeletConfig k8s.KubeletConfigV1Alpha1
LVMLogicalVolumeConfig storage.LVMLogicalVolumeConfigV1Alpha1
LVMVolumeGroupConfig storage.LVMVolumeGroupConfigV1Alpha1
RAIDArrayConfig storage.RAIDArrayConfigV1Alpha1
SecurityProfileConfig runtime.SecurityProfileConfigV1Alpha1
SysctlConfig runtime.SysctlConfigV1Alpha1
SysfsConfig runtime.SysfsConfigV1Alpha1
UdevRulesConfig runtime.UdevRulesConfigV1Alpha1
UnattendedInstallConfig runtime.UnattendedInstallConfigV1Alpha1
VethConfig network.VethConfigV1Alpha1
`;

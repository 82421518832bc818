/** Types that Talos 1.13 added or changed. */
export const TYPES_1_13 = `
block.ExistingMountSpec readOnly:*bool disableAccessTime:*bool secure:*bool
block.ExistingVolumeConfigV1Alpha1 apiVersion kind name discovery:block.VolumeDiscoverySpec mount:block.ExistingMountSpec
block.ExternalMountSpec readOnly:*bool disableAccessTime:*bool secure:*bool virtiofs:*block.VirtiofsMountSpec
block.ExternalVolumeConfigV1Alpha1 apiVersion kind name filesystemType:block.FilesystemType mount:block.ExternalMountSpec
block.MountSpec secure:*bool
block.UserMountSpec disableAccessTime:*bool secure:*bool
block.UserVolumeConfigV1Alpha1 apiVersion kind name volumeType:*block.VolumeType provisioning:block.ProvisioningSpec filesystem:block.FilesystemSpec encryption:block.EncryptionSpec mount:block.UserMountSpec
block.VirtiofsMountSpec tag
block.VolumeConfigV1Alpha1 apiVersion kind name provisioning:block.ProvisioningSpec encryption:block.EncryptionSpec mount:block.MountSpec
nethelpers.RoutingRuleAction !text =uint8
network.BlackholeRouteConfigV1Alpha1 apiVersion kind name metric:uint32
network.KubeSpanConfigV1Alpha1 apiVersion kind enabled:*bool advertiseKubernetesNetworks:*bool allowDownPeerBypass:*bool harvestExtraEndpoints:*bool mtu:*uint32 filters:*network.KubeSpanFiltersConfig
network.KubeSpanFiltersConfig endpoints:[]string excludeAdvertisedNetworks:[]network.Prefix
network.RoutingRuleConfigV1Alpha1 apiVersion kind name src:network.Prefix dst:network.Prefix table:nethelpers.RoutingTable action:nethelpers.RoutingRuleAction iifName oifName fwMark:uint32 fwMask:uint32
network.TCPProbeConfigV1Alpha1 apiVersion kind name interval:time.Duration failureThreshold:int endpoint timeout:time.Duration
network.VRFConfigV1Alpha1 apiVersion kind name hardwareAddr:nethelpers.HardwareAddr links:[]string table:nethelpers.RoutingTable up:*bool mtu:uint32 addresses:[]network.AddressConfig routes:[]network.RouteConfig multicast:*bool
runtime.EnvironmentV1Alpha1 apiVersion kind variables:map[string]string
runtime.OOMV1Alpha1 apiVersion kind triggerExpression:cel.Expression cgroupRankingExpression:cel.Expression strictCgroupClassOrdering:*bool sampleInterval:time.Duration
security.ImageKeylessVerifierV1Alpha1 issuer subject subjectRegex
security.ImagePublicKeyVerifierV1Alpha1 certificate
security.ImageVerificationConfigV1Alpha1 apiVersion kind rules:security.ImageVerificationRules
security.ImageVerificationRuleV1Alpha1 image skip:*bool deny:*bool keyless:*security.ImageKeylessVerifierV1Alpha1 publicKey:*security.ImagePublicKeyVerifierV1Alpha1
security.ImageVerificationRules =[]security.ImageVerificationRuleV1Alpha1
v1alpha1.APIServerConfig image extraArgs:v1alpha1.Args extraVolumes:[]v1alpha1.VolumeMountConfig env:map[string]string certSANs:[]string disablePodSecurityPolicy:*bool admissionControl:v1alpha1.AdmissionPluginConfigList auditPolicy:v1alpha1.Unstructured resources:*v1alpha1.ResourcesConfig authorizationConfig:v1alpha1.AuthorizationConfigAuthorizerConfigList
v1alpha1.ArgValue !yaml
v1alpha1.Args =map[string]v1alpha1.ArgValue
v1alpha1.ControllerManagerConfig image extraArgs:v1alpha1.Args extraVolumes:[]v1alpha1.VolumeMountConfig env:map[string]string resources:*v1alpha1.ResourcesConfig
v1alpha1.EtcdConfig image ca:*x509.PEMEncodedCertificateAndKey extraArgs:v1alpha1.Args subnet advertisedSubnets:[]string listenSubnets:[]string
v1alpha1.FlannelCNIConfig extraArgs:[]string kubeNetworkPoliciesEnabled:*bool
v1alpha1.KubeletConfig image clusterDNS:[]string extraArgs:v1alpha1.Args extraMounts:[]v1alpha1.ExtraMount extraConfig:v1alpha1.Unstructured credentialProviderConfig:v1alpha1.Unstructured defaultRuntimeSeccompProfileEnabled:*bool registerWithFQDN:*bool nodeIP:*v1alpha1.KubeletNodeIPConfig skipNodeRegistration:*bool disableManifestsDirectory:*bool
v1alpha1.ProxyConfig disabled:*bool image mode extraArgs:v1alpha1.Args
v1alpha1.SchedulerConfig image extraArgs:v1alpha1.Args extraVolumes:[]v1alpha1.VolumeMountConfig env:map[string]string resources:*v1alpha1.ResourcesConfig config:v1alpha1.Unstructured
`;

/** The type of each kind of document; "v1alpha1" is the one without a kind. */
export const KINDS_1_13 = `
BlackholeRouteConfig network.BlackholeRouteConfigV1Alpha1
EnvironmentConfig runtime.EnvironmentV1Alpha1
ExternalVolumeConfig block.ExternalVolumeConfigV1Alpha1
ImageVerificationConfig security.ImageVerificationConfigV1Alpha1
KubeSpanConfig network.KubeSpanConfigV1Alpha1
RoutingRuleConfig network.RoutingRuleConfigV1Alpha1
TCPProbeConfig network.TCPProbeConfigV1Alpha1
VRFConfig network.VRFConfigV1Alpha1
`;

/**
 * Every resource type of Talos 1.12 to 1.14, by its namespace: type, own aliases, columns in talosctl. `!`: readable by administrators only, `~`:
 * so since 1.12.9; `@13`: since Talos 1.13, `@12-12`: until 1.12; `=`: only its own aliases.
 */
export const DEFINITIONS: Record<string, string> = {
  cluster: `
Affiliates.cluster.talos.dev | Hostname={.hostname} | Machine Type={.machineType} | Addresses={.addresses}
Identities.cluster.talos.dev | ID={.nodeId}
Infos.cluster.talos.dev | Cluster ID={.clusterId} | Cluster Name={.clusterName}
Members.cluster.talos.dev | Hostname={.hostname} | Machine Type={.machineType} | OS={.operatingSystem} | Addresses={.addresses}
`,
  config: `
DiscoveryConfigs.cluster.talos.dev!
KubeSpanConfigs.kubespan.talos.dev!
KubernetesAccessConfigs.cluster.talos.dev
MachineConfigs.config.talos.dev!
MachineTypes.config.talos.dev | Type={@}
SiderolinkConfigs.siderolink.talos.dev! | API Endpoint={.apiEndpoint} | Tunnel={.tunnel}
SiderolinkStatuses.siderolink.talos.dev | Host={.host} | Connected={.connected}
SiderolinkTunnels.siderolink.talos.dev! | API Endpoint={.apiEndpoint} | Link name={.linkName} | MTU={.mtu} | Node address={.nodeAddress}
`,
  containers: `
ContainerSpecs.containers.talos.dev@14 containerspec containerspecs | Image={.image.ref}
`,
  controlplane: `
APIServerConfigs.kubernetes.talos.dev~
AdmissionControlConfigs.kubernetes.talos.dev
AuditPolicyConfigs.kubernetes.talos.dev!
AuthenticationConfigs.kubernetes.talos.dev!@14
AuthorizationConfigs.kubernetes.talos.dev~
BootstrapManifestsConfigs.kubernetes.talos.dev
ConfigStatuses.kubernetes.talos.dev | Ready={.ready} | Secrets Version={.version}
ControllerManagerConfigs.kubernetes.talos.dev
Endpoints.kubernetes.talos.dev | Addresses={.addresses} | Hosts={.hosts}
ExtraManifestsConfigs.kubernetes.talos.dev
ManifestStatuses.kubernetes.talos.dev
Manifests.kubernetes.talos.dev
SchedulerConfigs.kubernetes.talos.dev
SecretStatuses.kubernetes.talos.dev | Ready={.ready} | Secrets Version={.version}
`,
  cri: `
BaseRuntimeSpecConfigs.cri.talos.dev@14
CustomizationConfigs.cri.talos.dev!@14
ImageCacheConfigs.cri.talos.dev | Status={.status} | CopyStatus={.copyStatus} | Roots={.roots}
RegistryConfigs.cri.talos.dev~
SeccompProfiles.cri.talos.dev
`,
  etcd: `
EtcdConfigs.etcd.talos.dev | Image={.image}
EtcdMembers.etcd.talos.dev | Member ID={.memberID}
EtcdSpecs.etcd.talos.dev | Name={.name} | AdvertisedAddresses={.advertisedAddresses} | ListenPeerAddresses={.listenPeerAddresses} | ListenClientAddresses={.listenClientAddresses}
PKIStatuses.etcd.talos.dev | Ready={.ready} | Secrets Version={.version}
`,
  files: `
EtcFileSpecs.files.talos.dev~
EtcFileStatuses.files.talos.dev
`,
  hardware: `
CPUCores.hardware.talos.dev@14 cpucore cpucores | Socket={.socket} | Core={.coreID} | Model={.modelName} | Logical CPUs={.logicalCPUs}
MemoryModules.hardware.talos.dev memorymodules ram | Manufacturer={.manufacturer} | Model={.productName} | SizeMiB={.sizeMiB}
PCIDevices.hardware.talos.dev devices device | Class={.class} | Subclass={.subclass} | Vendor={.vendor} | Product={.product}
PCIDriverRebindConfigs.runtime.talos.dev | Name={.name} | PCI ID={.pciID} | TargetDriver={.targetDriver}
PCIDriverRebindStatuses.runtime.talos.dev pcidriverrebinds | Name={.name} | PCI ID={.pciID} | TargetDriver={.targetDriver}
PCRStatuses.hardware.talos.dev
Processors.hardware.talos.dev cpus cpu | Manufacturer={.manufacturer} | Model={.productName} | Cores={.coreCount} | Threads={.threadCount}
SystemInformations.hardware.talos.dev systeminformation | Manufacturer={.manufacturer} | ProductName={.productName} | Version={.version} | SerialNumber={.serialnumber} | UUID={.uuid} | WakeUpType={.wakeUpType} | SKUNumber={.skuNumber}
`,
  k8s: `
EtcdEncryptionConfigs.kubernetes.talos.dev!@14
KubePrismConfigs.kubernetes.talos.dev | Host={.host} | Port={.port} | Endpoints={.endpoints}
KubePrismEndpoints.kubernetes.talos.dev | Hosts={.endpoints[*].host} | Ports={.endpoints[*].port}
KubePrismStatuses.kubernetes.talos.dev | HOST={.host} | HEALTHY={.healthy}
KubeletConfigs.kubernetes.talos.dev~
KubeletKubeconfigs.kubernetes.talos.dev | Hash={.hash}
KubeletLifecycles.kubernetes.talos.dev
KubeletSpecs.kubernetes.talos.dev~
KubeletStatuses.kubernetes.talos.dev@14 | Image={.image}
NodeAnnotationSpecs.k8s.talos.dev! | Value={.value}
NodeCordonedSpecs.k8s.talos.dev!
NodeIPConfigs.kubernetes.talos.dev
NodeIPs.kubernetes.talos.dev
NodeLabelSpecs.k8s.talos.dev! | Value={.value}
NodeStatuses.kubernetes.talos.dev | Ready={.nodeReady} | Unschedulable={.unschedulable}
NodeTaintSpecs.k8s.talos.dev! | Effect={.effect} | Value={.value}
Nodenames.kubernetes.talos.dev | Nodename={.nodename}
StaticPodServerStatuses.kubernetes.talos.dev
StaticPodStatuses.kubernetes.talos.dev podstatus | Ready={.conditions[?(@.type=="Ready")].status}
StaticPods.kubernetes.talos.dev
`,
  kubespan: `
KubeSpanEndpoints.kubespan.talos.dev | Endpoint={.endpoint} | Affiliate ID={.affiliateID}
KubeSpanIdentities.kubespan.talos.dev! | Address={.address} | PublicKey={.publicKey}
KubeSpanPeerSpecs.kubespan.talos.dev | Label={.label} | Endpoints={.endpoints}
KubeSpanPeerStatuses.kubespan.talos.dev | Label={.label} | Endpoint={.endpoint} | State={.state} | Rx={.receiveBytes} | Tx={.transmitBytes}
`,
  network: `
AddressSpecs.net.talos.dev
AddressStatuses.net.talos.dev address addresses | Address={.address} | Link={.linkName}
BGPInstanceConfigs.net.talos.dev@14 | Local ASN={.localASN} | Router ID={.routerID} | VRF={.vrf} | Neighbors={.neighbors}
BGPPeerStatuses.net.talos.dev@14 | Instance={.instance} | Peer={.peer} | Peer AS={.peerASN} | State={.state} | Since={.since} | Received={.received}
DNSResolveCaches.net.talos.dev | Status={.status}
DNSUpstreams.net.talos.dev | Healthy={.healthy} | Address={.addr}
DeviceConfigSpecs.net.talos.dev!
EthernetSpecs.net.talos.dev
EthernetStatuses.net.talos.dev ethtool | Link={.linkState} | Speed={.speedMbit}
HardwareAddresses.net.talos.dev
HostDNSConfigs.net.talos.dev | Enabled={.enabled}
HostnameSpecs.net.talos.dev
HostnameStatuses.net.talos.dev hostname | Hostname={.hostname} | Domainname={.domainname}
LinkAliasSpecs.net.talos.dev | Alias={.alias}
LinkRefreshes.net.talos.dev
LinkSpecs.net.talos.dev!
LinkStatuses.net.talos.dev link links | Alias={.alias} | Type={.type} | Kind={.kind} | Hw Addr={.hardwareAddr} | Oper State={.operationalState} | Link State={.linkState}
NetworkStatuses.net.talos.dev netstatus netstatuses | Address={.addressReady} | Connectivity={.connectivityReady} | Hostname={.hostnameReady} | Etc={.etcFilesReady}
NfTablesChains.net.talos.dev chain chains | Type={.type} | Hook={.hook} | Priority={.priority} | Policy={.policy}
NodeAddressFilters.net.talos.dev | Include Subnets={.includeSubnets} | Exclude Subnets={.excludeSubnets}
NodeAddressSortAlgorithms.net.talos.dev | Algorithm={.algorithm}
NodeAddresses.net.talos.dev | Addresses={.addresses} | SortAlgorithm={.sortAlgorithm}
OperatorSpecs.net.talos.dev!
PlatformConfigs.net.talos.dev
ProbeSpecs.net.talos.dev
ProbeStatuses.net.talos.dev probe probes | Success={.success}
ResolverSpecs.net.talos.dev | Layer={.layer} | Resolvers={.dnsServers} | Search Domains={.searchDomains}
ResolverStatuses.net.talos.dev resolvers | Resolvers={.dnsServers} | Search Domains={.searchDomains}
RouteSpecs.net.talos.dev
RouteStatuses.net.talos.dev route routes | Destination={.dst} | Gateway={.gateway} | Link={.outLinkName} | Metric={.priority}
RoutingRuleSpecs.net.talos.dev@13
RoutingRuleStatuses.net.talos.dev@13 routingrule routingrules | Src={.src} | Dst={.dst} | Table={.table} | Priority={.priority}
StaticHosts.net.talos.dev@14 | Addresses={.addresses}
TimeServerSpecs.net.talos.dev | Timeservers@14={.timeServers} | UseNTS@14={.useNTS}
TimeServerStatuses.net.talos.dev timeserver timeservers | Timeservers={.timeServers} | UseNTS@14={.useNTS}
`,
  perf: `
CPUStats.perf.talos.dev | User={.cpuTotal.user} | System={.cpuTotal.system}
MemoryStats.perf.talos.dev | Used={.used} | Total={.total}
`,
  runtime: `
APIServiceConfigs.runtime.talos.dev@13
AcquireConfigSpecs.v1alpha1.talos.dev
AcquireConfigStatuses.v1alpha1.talos.dev
AdjtimeStatuses.v1alpha1.talos.dev | Offset={.offset} | EstError={.estError} | MaxError={.maxError} | Status={.status} | Sync={.syncStatus}
BlockDevices.block.talos.dev | Type={.type} | PartitionName={.partitionName} | Generation={.generation}
BlockSymlinks.block.talos.dev
BootIDs.runtime.talos.dev@14 | Boot ID={.bootID}
BootedEntries.talos.dev | Booted Entry={.bootedEntry}
DevicesStatuses.runtime.talos.dev | Ready={.ready}
Diagnostics.runtime.talos.dev | Message={.message}
DiscoveredVolumes.block.talos.dev | Type={.type} | Size={.pretty_size} | Discovered={.name} | Label={.label} | PartitionLabel={.partition_label}
DiscoveryRefreshRequests.block.talos.dev | Request={.request}
DiscoveryRefreshStatuses.block.talos.dev | Request={.request}
Disks.block.talos.dev | Size={.pretty_size} | Read Only={.readonly} | Transport={.transport} | Rotational={.rotational} | WWID={.wwid} | Model={.model} | Serial={.serial}
Environments.runtime.talos.dev@13 env | Variables={.variables}
EventSinkConfigs.runtime.talos.dev
ExtensionServiceConfigStatuses.runtime.talos.dev
ExtensionServiceConfigs.runtime.talos.dev~
ExtensionStatuses.runtime.talos.dev extensions | Name={.metadata.name} | Version={.metadata.version}
FSScrubSchedules.block.talos.dev@14 | Filesystem={.filesystem} | Interval={.interval} | Next Scrub={.nextScrub}
FSScrubStatuses.block.talos.dev@14 | Mountpoint={.mountpoint} | Interval={.interval} | Latest start time={.time} | Latest run duration={.duration} | Latest status={.status}
ImageFactorySchematics.runtime.talos.dev@14 | Schematic ID={.schematicId} | Flavor={.flavor} | API URL={.apiUrl}
KernelCmdlines.runtime.talos.dev cmdline | Cmdline={.cmdline}
KernelModuleSpecs.runtime.talos.dev
KernelModuleStatuses.runtime.talos.dev@14 module modules | Type={.type} | State={.state}
KernelParamDefaultSpecs.runtime.talos.dev
KernelParamSpecs.runtime.talos.dev
KernelParamStatuses.runtime.talos.dev sysctls kernelparameters kernelparams | Current={.current} | Default={.default} | Unsupported={.unsupported}
KmsgLogConfigs.runtime.talos.dev
LoadedKernelModules.runtime.talos.dev module@12-13 modules@12-13 | State={.state}
MachineResetSignals.runtime.talos.dev
MachineStatuses.runtime.talos.dev | Stage={.stage} | Ready={.status.ready}
MaintenanceServiceConfigs.runtime.talos.dev
MaintenanceServiceRequests.runtime.talos.dev
MetaKeys.runtime.talos.dev meta | Value={.value}
MetaLoads.runtime.talos.dev | Done={.done}
MountRequests.block.talos.dev | Volume={.volumeID} | Parent={.parentID} | Requesters={.requesters}
MountStatuses.block.talos.dev | Source={.source} | Target={.target} | Filesystem={.filesystem} | Volume={.spec.volumeID}
MountStatuses.runtime.talos.dev= mounts | Source={.source} | Target={.target} | Filesystem Type={.filesystemType}
OOMActions.talos.dev! oomaction oomactions | Time={.time} | Score={.score}
PlatformMetadatas.talos.dev | Platform={.platform} | Type={.instanceType} | Region={.region} | Zone={.zone}
RebootRequests.runtime.talos.dev@14
SBOMItems.talos.dev sbom sboms | Version={.version} | License={.license} | Extension={.extension}
SecurityStates.talos.dev | SecureBoot={.secureBoot} | UKISigningKeyFingerprint={.ukiSigningKeyFingerprint} | PCRSigningKeyFingerprint={.pcrSigningKeyFingerprint} | SELinuxState={.selinuxState} | ModuleSignatureEnforced={.moduleSignatureEnforced}
ServicePIDs.runtime.talos.dev@13 | PID={.pid}
Services.v1alpha1.talos.dev svc | Running={.running} | Healthy={.healthy} | Health Unknown={.unknown}
SwapStatuses.block.talos.dev swap swaps | Device={.device} | Size={.sizeHuman} | Used={.usedHuman} | Priority={.priority}
SystemDisks.block.talos.dev | Disk={.diskID}
TimeStatuses.v1alpha1.talos.dev | Synced={.synced}
UnattendedInstallStatuses.runtime.talos.dev@14 | Phase={.phase}
UniqueMachineTokens.runtime.talos.dev | Token={.token}
UserDiskConfigStatuses.block.talos.dev | Ready={.ready}
Versions.runtime.talos.dev | Name@13={.name} | Version={.version}
VolumeConfigs.block.talos.dev!
VolumeLifecycles.block.talos.dev
VolumeMountRequests.block.talos.dev | Volume ID={.volumeID} | Requester={.requester}
VolumeMountStatuses.block.talos.dev | Volume ID={.volumeID} | Requester={.requester} | Target={.target}
VolumeStatuses.block.talos.dev | Type={.type} | Phase={.phase} | Location={.location} | Size={.prettySize}
VolumeTrimSchedules.block.talos.dev@14 | Filesystem={.filesystem} | Interval={.interval} | Next Trim={.nextTrim}
WatchdogTimerConfigs.runtime.talos.dev | Device={.device} | Timeout={.timeout}
WatchdogTimerStatuses.runtime.talos.dev | Device={.device} | Timeout={.timeout}
ZswapStatuses.block.talos.dev | Total Size={.totalSizeHuman} | Stored Pages={.storedPages} | Written Back={.writtenBackPages} | Pool Limit Hit={.poolLimitHit}
`,
  secrets: `
ApiCertificates.secrets.talos.dev!
CertSANs.secrets.talos.dev!
EncryptionSalts.secrets.talos.dev!
EtcdRootSecrets.secrets.talos.dev!
EtcdSecrets.secrets.talos.dev!
KubeletSecrets.secrets.talos.dev!
KubernetesDynamicCerts.secrets.talos.dev!
KubernetesRootSecrets.secrets.talos.dev!
KubernetesSecrets.secrets.talos.dev!
MaintenanceRootSecrets.secrets.talos.dev!
MaintenanceServiceCertificates.secrets.talos.dev!@12-12
OSRootSecrets.secrets.talos.dev!
TrustdCertificates.secrets.talos.dev!
`,
  security: `
ImageVerificationRules.security.talos.dev@13 | Pattern={.imagePattern} | Skip={.skip} | Deny={.deny}
TUFTrustedRoots.security.talos.dev@13 | Last Refresh={.lastRefreshTime}
`,
  storage: `
LVMLogicalVolumeSpecs.storage.talos.dev@14 | VG={.vgName} | Name={.name} | Type={.type}
LVMLogicalVolumeStatuses.storage.talos.dev@14 lvs | Path={.path} | VG={.vgName} | Layout={.layout} | Size={.prettySize} | Active={.active}
LVMPhysicalVolumeSpecs.storage.talos.dev@14 | Device={.device} | VG={.vgName}
LVMPhysicalVolumeStatuses.storage.talos.dev@14 pvs | Device={.device} | VG={.vgName} | Size={.prettySize} | Free={.prettyFree} | Allocatable={.allocatable}
LVMRefreshRequests.storage.talos.dev@14 | Request={.request}
LVMValidationErrors.storage.talos.dev@14 | VG={.vgName} | Message={.message}
LVMVolumeGroupSpecs.storage.talos.dev@14 | Name={.name}
LVMVolumeGroupStatuses.storage.talos.dev@14 vgs | Name={.name} | Permissions={.permissions} | Size={.prettySize} | Free={.prettyFree} | PVs={.pvCount} | LVs={.lvCount}
MDArraySpecs.storage.talos.dev@14 | Level={.level}
MDArrayStatuses.storage.talos.dev@14 | Level={.level} | Status={.status} | Sync={.syncAction} | Device={.device}
MDRefreshRequests.storage.talos.dev@14 | Request={.request}
`,
};

/**
 * The types of the API, from the OpenAPI of Kubernetes 1.36.3: one line per type, its fields with their types. `read-types.ts` parses it. A field
 * is `name:type`, "!" after its name: required. Types: none for text, i and I 32- and 64-bit integers, n a number, b a boolean, y bytes, t and u
 * times, q a quantity, # a number or text, ? anything, else a type of this table ("$" before it: present even when unset). `[]` an atomic list,
 * `[=]` a set, `[a,b]` a list with these keys; after "|" the merge key of a strategic merge patch. `{}` a map, `{!}` an atomic one, as is a type
 * with "!" after its name.
 */
export const CORE_TYPES = `
core.v1.AWSElasticBlockStoreVolumeSource fsType partition:i readOnly:b volumeID!
core.v1.Affinity nodeAffinity:core.v1.NodeAffinity podAffinity:core.v1.PodAffinity podAntiAffinity:core.v1.PodAntiAffinity
core.v1.AppArmorProfile localhostProfile type!
core.v1.AttachedVolume devicePath! name!
core.v1.AzureDiskVolumeSource cachingMode diskName! diskURI! fsType kind readOnly:b
core.v1.AzureFilePersistentVolumeSource readOnly:b secretName! secretNamespace shareName!
core.v1.AzureFileVolumeSource readOnly:b secretName! shareName!
core.v1.Binding apiVersion kind metadata:$meta.v1.ObjectMeta target!:$core.v1.ObjectReference
core.v1.CSIPersistentVolumeSource controllerExpandSecretRef:core.v1.SecretReference controllerPublishSecretRef:core.v1.SecretReference driver! fsType nodeExpandSecretRef:core.v1.SecretReference nodePublishSecretRef:core.v1.SecretReference nodeStageSecretRef:core.v1.SecretReference readOnly:b volumeAttributes:{}s volumeHandle!
core.v1.CSIVolumeSource driver! fsType nodePublishSecretRef:core.v1.LocalObjectReference readOnly:b volumeAttributes:{}s
core.v1.Capabilities add:[]s drop:[]s
core.v1.CephFSPersistentVolumeSource monitors!:[]s path readOnly:b secretFile secretRef:core.v1.SecretReference user
core.v1.CephFSVolumeSource monitors!:[]s path readOnly:b secretFile secretRef:core.v1.LocalObjectReference user
core.v1.CinderPersistentVolumeSource fsType readOnly:b secretRef:core.v1.SecretReference volumeID!
core.v1.CinderVolumeSource fsType readOnly:b secretRef:core.v1.LocalObjectReference volumeID!
core.v1.ClientIPConfig timeoutSeconds:i
core.v1.ClusterTrustBundleProjection labelSelector:meta.v1.LabelSelector name optional:b path! signerName
core.v1.ConfigMap apiVersion binaryData:{}y data:{}s immutable:b kind metadata:$meta.v1.ObjectMeta
core.v1.ConfigMapEnvSource name optional:b
core.v1.ConfigMapKeySelector! key! name optional:b
core.v1.ConfigMapNodeConfigSource kubeletConfigKey! name! namespace! resourceVersion uid
core.v1.ConfigMapProjection items:[]core.v1.KeyToPath name optional:b
core.v1.ConfigMapVolumeSource defaultMode:i items:[]core.v1.KeyToPath name optional:b
core.v1.Container args:[]s command:[]s env:[name|name]core.v1.EnvVar envFrom:[]core.v1.EnvFromSource image imagePullPolicy lifecycle:core.v1.Lifecycle livenessProbe:core.v1.Probe name! ports:[containerPort,protocol|containerPort]core.v1.ContainerPort readinessProbe:core.v1.Probe resizePolicy:[]core.v1.ContainerResizePolicy resources:$core.v1.ResourceRequirements restartPolicy restartPolicyRules:[]core.v1.ContainerRestartRule securityContext:core.v1.SecurityContext startupProbe:core.v1.Probe stdin:b stdinOnce:b terminationMessagePath terminationMessagePolicy tty:b volumeDevices:[devicePath|devicePath]core.v1.VolumeDevice volumeMounts:[mountPath|mountPath]core.v1.VolumeMount workingDir
core.v1.ContainerExtendedResourceRequest containerName! requestName! resourceName!
core.v1.ContainerImage names:[]s sizeBytes:I
core.v1.ContainerPort containerPort!:i hostIP hostPort:i name protocol
core.v1.ContainerResizePolicy resourceName! restartPolicy!
core.v1.ContainerRestartRule action! exitCodes:core.v1.ContainerRestartRuleOnExitCodes
core.v1.ContainerRestartRuleOnExitCodes operator! values:[=]i
core.v1.ContainerState running:core.v1.ContainerStateRunning terminated:core.v1.ContainerStateTerminated waiting:core.v1.ContainerStateWaiting
core.v1.ContainerStateRunning startedAt:t
core.v1.ContainerStateTerminated containerID exitCode!:i finishedAt:t message reason signal:i startedAt:t
core.v1.ContainerStateWaiting message reason
core.v1.ContainerStatus allocatedResources:{}q allocatedResourcesStatus:[name|name]core.v1.ResourceStatus containerID image! imageID! lastState:$core.v1.ContainerState name! ready!:b resources:core.v1.ResourceRequirements restartCount!:i started:b state:$core.v1.ContainerState stopSignal user:core.v1.ContainerUser volumeMounts:[mountPath|mountPath]core.v1.VolumeMountStatus
core.v1.ContainerUser linux:core.v1.LinuxContainerUser
core.v1.DaemonEndpoint Port!:i
core.v1.DownwardAPIProjection items:[]core.v1.DownwardAPIVolumeFile
core.v1.DownwardAPIVolumeFile fieldRef:core.v1.ObjectFieldSelector mode:i path! resourceFieldRef:core.v1.ResourceFieldSelector
core.v1.DownwardAPIVolumeSource defaultMode:i items:[]core.v1.DownwardAPIVolumeFile
core.v1.EmptyDirVolumeSource medium sizeLimit:q
core.v1.EndpointAddress! hostname ip! nodeName targetRef:core.v1.ObjectReference
core.v1.EndpointPort! appProtocol name port!:i protocol
core.v1.EndpointSubset addresses:[]core.v1.EndpointAddress notReadyAddresses:[]core.v1.EndpointAddress ports:[]core.v1.EndpointPort
core.v1.Endpoints apiVersion kind metadata:$meta.v1.ObjectMeta subsets:[]core.v1.EndpointSubset
core.v1.EnvFromSource configMapRef:core.v1.ConfigMapEnvSource prefix secretRef:core.v1.SecretEnvSource
core.v1.EnvVar name! value valueFrom:core.v1.EnvVarSource
core.v1.EnvVarSource configMapKeyRef:core.v1.ConfigMapKeySelector fieldRef:core.v1.ObjectFieldSelector fileKeyRef:core.v1.FileKeySelector resourceFieldRef:core.v1.ResourceFieldSelector secretKeyRef:core.v1.SecretKeySelector
core.v1.EphemeralContainer args:[]s command:[]s env:[name|name]core.v1.EnvVar envFrom:[]core.v1.EnvFromSource image imagePullPolicy lifecycle:core.v1.Lifecycle livenessProbe:core.v1.Probe name! ports:[containerPort,protocol|containerPort]core.v1.ContainerPort readinessProbe:core.v1.Probe resizePolicy:[]core.v1.ContainerResizePolicy resources:$core.v1.ResourceRequirements restartPolicy restartPolicyRules:[]core.v1.ContainerRestartRule securityContext:core.v1.SecurityContext startupProbe:core.v1.Probe stdin:b stdinOnce:b targetContainerName terminationMessagePath terminationMessagePolicy tty:b volumeDevices:[devicePath|devicePath]core.v1.VolumeDevice volumeMounts:[mountPath|mountPath]core.v1.VolumeMount workingDir
core.v1.EphemeralVolumeSource volumeClaimTemplate:core.v1.PersistentVolumeClaimTemplate
core.v1.Event action apiVersion count:i eventTime:u firstTimestamp:t involvedObject!:$core.v1.ObjectReference kind lastTimestamp:t message metadata!:$meta.v1.ObjectMeta reason related:core.v1.ObjectReference reportingComponent reportingInstance series:core.v1.EventSeries source:$core.v1.EventSource type
core.v1.EventSeries count:i lastObservedTime:u
core.v1.EventSource component host
core.v1.ExecAction command:[]s
core.v1.FCVolumeSource fsType lun:i readOnly:b targetWWNs:[]s wwids:[]s
core.v1.FileKeySelector! key! optional:b path! volumeName!
core.v1.FlexPersistentVolumeSource driver! fsType options:{}s readOnly:b secretRef:core.v1.SecretReference
core.v1.FlexVolumeSource driver! fsType options:{}s readOnly:b secretRef:core.v1.LocalObjectReference
core.v1.FlockerVolumeSource datasetName datasetUUID
core.v1.GCEPersistentDiskVolumeSource fsType partition:i pdName! readOnly:b
core.v1.GRPCAction port!:i service
core.v1.GitRepoVolumeSource directory repository! revision
core.v1.GlusterfsPersistentVolumeSource endpoints! endpointsNamespace path! readOnly:b
core.v1.GlusterfsVolumeSource endpoints! path! readOnly:b
core.v1.HTTPGetAction host httpHeaders:[]core.v1.HTTPHeader path port!:# scheme
core.v1.HTTPHeader name! value!
core.v1.HostAlias hostnames:[]s ip!
core.v1.HostIP ip!
core.v1.HostPathVolumeSource path! type
core.v1.ISCSIPersistentVolumeSource chapAuthDiscovery:b chapAuthSession:b fsType initiatorName iqn! iscsiInterface lun!:i portals:[]s readOnly:b secretRef:core.v1.SecretReference targetPortal!
core.v1.ISCSIVolumeSource chapAuthDiscovery:b chapAuthSession:b fsType initiatorName iqn! iscsiInterface lun!:i portals:[]s readOnly:b secretRef:core.v1.LocalObjectReference targetPortal!
core.v1.ImageVolumeSource pullPolicy reference
core.v1.ImageVolumeStatus imageRef!
core.v1.KeyToPath key! mode:i path!
core.v1.Lifecycle postStart:core.v1.LifecycleHandler preStop:core.v1.LifecycleHandler stopSignal
core.v1.LifecycleHandler exec:core.v1.ExecAction httpGet:core.v1.HTTPGetAction sleep:core.v1.SleepAction tcpSocket:core.v1.TCPSocketAction
core.v1.LimitRange apiVersion kind metadata:$meta.v1.ObjectMeta spec:$core.v1.LimitRangeSpec
core.v1.LimitRangeItem default:{}q defaultRequest:{}q max:{}q maxLimitRequestRatio:{}q min:{}q type!
core.v1.LimitRangeSpec limits!:[]core.v1.LimitRangeItem
core.v1.LinuxContainerUser gid!:I supplementalGroups:[]I uid!:I
core.v1.LoadBalancerIngress hostname ip ipMode ports:[]core.v1.PortStatus
core.v1.LoadBalancerStatus ingress:[]core.v1.LoadBalancerIngress
core.v1.LocalObjectReference! name
core.v1.LocalVolumeSource fsType path!
core.v1.ModifyVolumeStatus status! targetVolumeAttributesClassName
core.v1.NFSVolumeSource path! readOnly:b server!
core.v1.Namespace apiVersion kind metadata:$meta.v1.ObjectMeta spec:$core.v1.NamespaceSpec status:$core.v1.NamespaceStatus
core.v1.NamespaceCondition lastTransitionTime:t message reason status! type!
core.v1.NamespaceSpec finalizers:[]s
core.v1.NamespaceStatus conditions:[type|type]core.v1.NamespaceCondition phase
core.v1.Node apiVersion kind metadata:$meta.v1.ObjectMeta spec:$core.v1.NodeSpec status:$core.v1.NodeStatus
core.v1.NodeAddress address! type!
core.v1.NodeAffinity preferredDuringSchedulingIgnoredDuringExecution:[]core.v1.PreferredSchedulingTerm requiredDuringSchedulingIgnoredDuringExecution:core.v1.NodeSelector
core.v1.NodeAllocatableResourceClaimStatus containers:[=]s resourceClaimName! resources!:{}q
core.v1.NodeCondition lastHeartbeatTime:t lastTransitionTime:t message reason status! type!
core.v1.NodeConfigSource configMap:core.v1.ConfigMapNodeConfigSource
core.v1.NodeConfigStatus active:core.v1.NodeConfigSource assigned:core.v1.NodeConfigSource error lastKnownGood:core.v1.NodeConfigSource
core.v1.NodeDaemonEndpoints kubeletEndpoint:$core.v1.DaemonEndpoint
core.v1.NodeFeatures supplementalGroupsPolicy:b
core.v1.NodeRuntimeHandler features:core.v1.NodeRuntimeHandlerFeatures name
core.v1.NodeRuntimeHandlerFeatures recursiveReadOnlyMounts:b userNamespaces:b
core.v1.NodeSelector! nodeSelectorTerms!:[]core.v1.NodeSelectorTerm
core.v1.NodeSelectorRequirement key! operator! values:[]s
core.v1.NodeSelectorTerm! matchExpressions:[]core.v1.NodeSelectorRequirement matchFields:[]core.v1.NodeSelectorRequirement
core.v1.NodeSpec configSource:core.v1.NodeConfigSource externalID podCIDR podCIDRs:[=|]s providerID taints:[]core.v1.Taint unschedulable:b
core.v1.NodeStatus addresses:[type|type]core.v1.NodeAddress allocatable:{}q capacity:{}q conditions:[type|type]core.v1.NodeCondition config:core.v1.NodeConfigStatus daemonEndpoints:$core.v1.NodeDaemonEndpoints declaredFeatures:[]s features:core.v1.NodeFeatures images:[]core.v1.ContainerImage nodeInfo:$core.v1.NodeSystemInfo phase runtimeHandlers:[]core.v1.NodeRuntimeHandler volumesAttached:[]core.v1.AttachedVolume volumesInUse:[]s
core.v1.NodeSwapStatus capacity:I
core.v1.NodeSystemInfo architecture! bootID! containerRuntimeVersion! kernelVersion! kubeProxyVersion! kubeletVersion! machineID! operatingSystem! osImage! swap:core.v1.NodeSwapStatus systemUUID!
core.v1.ObjectFieldSelector! apiVersion fieldPath!
core.v1.ObjectReference! apiVersion fieldPath kind name namespace resourceVersion uid
core.v1.PersistentVolume apiVersion kind metadata:$meta.v1.ObjectMeta spec:$core.v1.PersistentVolumeSpec status:$core.v1.PersistentVolumeStatus
core.v1.PersistentVolumeClaim apiVersion kind metadata:$meta.v1.ObjectMeta spec:$core.v1.PersistentVolumeClaimSpec status:$core.v1.PersistentVolumeClaimStatus
core.v1.PersistentVolumeClaimCondition lastProbeTime:t lastTransitionTime:t message reason status! type!
core.v1.PersistentVolumeClaimSpec accessModes:[]s dataSource:core.v1.TypedLocalObjectReference dataSourceRef:core.v1.TypedObjectReference resources:$core.v1.VolumeResourceRequirements selector:meta.v1.LabelSelector storageClassName volumeAttributesClassName volumeMode volumeName
core.v1.PersistentVolumeClaimStatus accessModes:[]s allocatedResourceStatuses:{}s allocatedResources:{}q capacity:{}q conditions:[type|type]core.v1.PersistentVolumeClaimCondition currentVolumeAttributesClassName modifyVolumeStatus:core.v1.ModifyVolumeStatus phase
core.v1.PersistentVolumeClaimTemplate metadata:$meta.v1.ObjectMeta spec!:$core.v1.PersistentVolumeClaimSpec
core.v1.PersistentVolumeClaimVolumeSource claimName! readOnly:b
core.v1.PersistentVolumeSpec accessModes:[]s awsElasticBlockStore:core.v1.AWSElasticBlockStoreVolumeSource azureDisk:core.v1.AzureDiskVolumeSource azureFile:core.v1.AzureFilePersistentVolumeSource capacity:{}q cephfs:core.v1.CephFSPersistentVolumeSource cinder:core.v1.CinderPersistentVolumeSource claimRef:core.v1.ObjectReference csi:core.v1.CSIPersistentVolumeSource fc:core.v1.FCVolumeSource flexVolume:core.v1.FlexPersistentVolumeSource flocker:core.v1.FlockerVolumeSource gcePersistentDisk:core.v1.GCEPersistentDiskVolumeSource glusterfs:core.v1.GlusterfsPersistentVolumeSource hostPath:core.v1.HostPathVolumeSource iscsi:core.v1.ISCSIPersistentVolumeSource local:core.v1.LocalVolumeSource mountOptions:[]s nfs:core.v1.NFSVolumeSource nodeAffinity:core.v1.VolumeNodeAffinity persistentVolumeReclaimPolicy photonPersistentDisk:core.v1.PhotonPersistentDiskVolumeSource portworxVolume:core.v1.PortworxVolumeSource quobyte:core.v1.QuobyteVolumeSource rbd:core.v1.RBDPersistentVolumeSource scaleIO:core.v1.ScaleIOPersistentVolumeSource storageClassName storageos:core.v1.StorageOSPersistentVolumeSource volumeAttributesClassName volumeMode vsphereVolume:core.v1.VsphereVirtualDiskVolumeSource
core.v1.PersistentVolumeStatus lastPhaseTransitionTime:t message phase reason
core.v1.PhotonPersistentDiskVolumeSource fsType pdID!
core.v1.Pod apiVersion kind metadata:$meta.v1.ObjectMeta spec:$core.v1.PodSpec status:$core.v1.PodStatus
core.v1.PodAffinity preferredDuringSchedulingIgnoredDuringExecution:[]core.v1.WeightedPodAffinityTerm requiredDuringSchedulingIgnoredDuringExecution:[]core.v1.PodAffinityTerm
core.v1.PodAffinityTerm labelSelector:meta.v1.LabelSelector matchLabelKeys:[]s mismatchLabelKeys:[]s namespaceSelector:meta.v1.LabelSelector namespaces:[]s topologyKey!
core.v1.PodAntiAffinity preferredDuringSchedulingIgnoredDuringExecution:[]core.v1.WeightedPodAffinityTerm requiredDuringSchedulingIgnoredDuringExecution:[]core.v1.PodAffinityTerm
core.v1.PodCertificateProjection certificateChainPath credentialBundlePath keyPath keyType! maxExpirationSeconds:i signerName! userAnnotations:{}s
core.v1.PodCondition lastProbeTime:t lastTransitionTime:t message observedGeneration:I reason status! type!
core.v1.PodDNSConfig nameservers:[]s options:[]core.v1.PodDNSConfigOption searches:[]s
core.v1.PodDNSConfigOption name value
core.v1.PodExtendedResourceClaimStatus requestMappings!:[]core.v1.ContainerExtendedResourceRequest resourceClaimName!
core.v1.PodIP ip!
core.v1.PodOS name!
core.v1.PodReadinessGate conditionType!
core.v1.PodResourceClaim name! resourceClaimName resourceClaimTemplateName
core.v1.PodResourceClaimStatus name! resourceClaimName
core.v1.PodSchedulingGate name!
core.v1.PodSchedulingGroup podGroupName
core.v1.PodSecurityContext appArmorProfile:core.v1.AppArmorProfile fsGroup:I fsGroupChangePolicy runAsGroup:I runAsNonRoot:b runAsUser:I seLinuxChangePolicy seLinuxOptions:core.v1.SELinuxOptions seccompProfile:core.v1.SeccompProfile supplementalGroups:[]I supplementalGroupsPolicy sysctls:[]core.v1.Sysctl windowsOptions:core.v1.WindowsSecurityContextOptions
core.v1.PodSpec activeDeadlineSeconds:I affinity:core.v1.Affinity automountServiceAccountToken:b containers!:[name|name]core.v1.Container dnsConfig:core.v1.PodDNSConfig dnsPolicy enableServiceLinks:b ephemeralContainers:[name|name]core.v1.EphemeralContainer hostAliases:[ip|ip]core.v1.HostAlias hostIPC:b hostNetwork:b hostPID:b hostUsers:b hostname hostnameOverride imagePullSecrets:[name|name]core.v1.LocalObjectReference initContainers:[name|name]core.v1.Container nodeName nodeSelector:{!}s os:core.v1.PodOS overhead:{}q preemptionPolicy priority:i priorityClassName readinessGates:[]core.v1.PodReadinessGate resourceClaims:[name|name]core.v1.PodResourceClaim resources:core.v1.ResourceRequirements restartPolicy runtimeClassName schedulerName schedulingGates:[name|name]core.v1.PodSchedulingGate schedulingGroup:core.v1.PodSchedulingGroup securityContext:core.v1.PodSecurityContext serviceAccount serviceAccountName setHostnameAsFQDN:b shareProcessNamespace:b subdomain terminationGracePeriodSeconds:I tolerations:[]core.v1.Toleration topologySpreadConstraints:[topologyKey,whenUnsatisfiable|topologyKey]core.v1.TopologySpreadConstraint volumes:[name|name]core.v1.Volume
core.v1.PodStatus allocatedResources:{}q conditions:[type|type]core.v1.PodCondition containerStatuses:[]core.v1.ContainerStatus ephemeralContainerStatuses:[]core.v1.ContainerStatus extendedResourceClaimStatus:core.v1.PodExtendedResourceClaimStatus hostIP hostIPs:[|ip]core.v1.HostIP initContainerStatuses:[]core.v1.ContainerStatus message nodeAllocatableResourceClaimStatuses:[]core.v1.NodeAllocatableResourceClaimStatus nominatedNodeName observedGeneration:I phase podIP podIPs:[ip|ip]core.v1.PodIP qosClass reason resize resourceClaimStatuses:[name|name]core.v1.PodResourceClaimStatus resources:core.v1.ResourceRequirements startTime:t
core.v1.PodTemplate apiVersion kind metadata:$meta.v1.ObjectMeta template:$core.v1.PodTemplateSpec
core.v1.PodTemplateSpec metadata:$meta.v1.ObjectMeta spec:$core.v1.PodSpec
core.v1.PortStatus error port!:i protocol!
core.v1.PortworxVolumeSource fsType readOnly:b volumeID!
core.v1.PreferredSchedulingTerm preference!:$core.v1.NodeSelectorTerm weight!:i
core.v1.Probe exec:core.v1.ExecAction failureThreshold:i grpc:core.v1.GRPCAction httpGet:core.v1.HTTPGetAction initialDelaySeconds:i periodSeconds:i successThreshold:i tcpSocket:core.v1.TCPSocketAction terminationGracePeriodSeconds:I timeoutSeconds:i
core.v1.ProjectedVolumeSource defaultMode:i sources:[]core.v1.VolumeProjection
core.v1.QuobyteVolumeSource group readOnly:b registry! tenant user volume!
core.v1.RBDPersistentVolumeSource fsType image! keyring monitors!:[]s pool readOnly:b secretRef:core.v1.SecretReference user
core.v1.RBDVolumeSource fsType image! keyring monitors!:[]s pool readOnly:b secretRef:core.v1.LocalObjectReference user
core.v1.ReplicationController apiVersion kind metadata:$meta.v1.ObjectMeta spec:$core.v1.ReplicationControllerSpec status:$core.v1.ReplicationControllerStatus
core.v1.ReplicationControllerCondition lastTransitionTime:t message reason status! type!
core.v1.ReplicationControllerSpec minReadySeconds:i replicas:i selector:{!}s template:core.v1.PodTemplateSpec
core.v1.ReplicationControllerStatus availableReplicas:i conditions:[type|type]core.v1.ReplicationControllerCondition fullyLabeledReplicas:i observedGeneration:I readyReplicas:i replicas!:i
core.v1.ResourceClaim name! request
core.v1.ResourceFieldSelector! containerName divisor:q resource!
core.v1.ResourceHealth health message resourceID!
core.v1.ResourceQuota apiVersion kind metadata:$meta.v1.ObjectMeta spec:$core.v1.ResourceQuotaSpec status:$core.v1.ResourceQuotaStatus
core.v1.ResourceQuotaSpec hard:{}q scopeSelector:core.v1.ScopeSelector scopes:[]s
core.v1.ResourceQuotaStatus hard:{}q used:{}q
core.v1.ResourceRequirements claims:[name]core.v1.ResourceClaim limits:{}q requests:{}q
core.v1.ResourceStatus name! resources:[resourceID]core.v1.ResourceHealth
core.v1.SELinuxOptions level role type user
core.v1.ScaleIOPersistentVolumeSource fsType gateway! protectionDomain readOnly:b secretRef!:core.v1.SecretReference sslEnabled:b storageMode storagePool system! volumeName
core.v1.ScaleIOVolumeSource fsType gateway! protectionDomain readOnly:b secretRef!:core.v1.LocalObjectReference sslEnabled:b storageMode storagePool system! volumeName
core.v1.ScopeSelector! matchExpressions:[]core.v1.ScopedResourceSelectorRequirement
core.v1.ScopedResourceSelectorRequirement operator! scopeName! values:[]s
core.v1.SeccompProfile localhostProfile type!
core.v1.Secret apiVersion data:{}y immutable:b kind metadata:$meta.v1.ObjectMeta stringData:{}s type
core.v1.SecretEnvSource name optional:b
core.v1.SecretKeySelector! key! name optional:b
core.v1.SecretProjection items:[]core.v1.KeyToPath name optional:b
core.v1.SecretReference! name namespace
core.v1.SecretVolumeSource defaultMode:i items:[]core.v1.KeyToPath optional:b secretName
core.v1.SecurityContext allowPrivilegeEscalation:b appArmorProfile:core.v1.AppArmorProfile capabilities:core.v1.Capabilities privileged:b procMount readOnlyRootFilesystem:b runAsGroup:I runAsNonRoot:b runAsUser:I seLinuxOptions:core.v1.SELinuxOptions seccompProfile:core.v1.SeccompProfile windowsOptions:core.v1.WindowsSecurityContextOptions
core.v1.Service apiVersion kind metadata:$meta.v1.ObjectMeta spec:$core.v1.ServiceSpec status:$core.v1.ServiceStatus
core.v1.ServiceAccount apiVersion automountServiceAccountToken:b imagePullSecrets:[]core.v1.LocalObjectReference kind metadata:$meta.v1.ObjectMeta secrets:[name|name]core.v1.ObjectReference
core.v1.ServiceAccountTokenProjection audience expirationSeconds:I path!
core.v1.ServicePort appProtocol name nodePort:i port!:i protocol targetPort:#
core.v1.ServiceSpec allocateLoadBalancerNodePorts:b clusterIP clusterIPs:[]s externalIPs:[]s externalName externalTrafficPolicy healthCheckNodePort:i internalTrafficPolicy ipFamilies:[]s ipFamilyPolicy loadBalancerClass loadBalancerIP loadBalancerSourceRanges:[]s ports:[port,protocol|port]core.v1.ServicePort publishNotReadyAddresses:b selector:{!}s sessionAffinity sessionAffinityConfig:core.v1.SessionAffinityConfig trafficDistribution type
core.v1.ServiceStatus conditions:[type|type]meta.v1.Condition loadBalancer:$core.v1.LoadBalancerStatus
core.v1.SessionAffinityConfig clientIP:core.v1.ClientIPConfig
core.v1.SleepAction seconds!:I
core.v1.StorageOSPersistentVolumeSource fsType readOnly:b secretRef:core.v1.ObjectReference volumeName volumeNamespace
core.v1.StorageOSVolumeSource fsType readOnly:b secretRef:core.v1.LocalObjectReference volumeName volumeNamespace
core.v1.Sysctl name! value!
core.v1.TCPSocketAction host port!:#
core.v1.Taint effect! key! timeAdded:t value
core.v1.Toleration effect key operator tolerationSeconds:I value
core.v1.TopologySelectorLabelRequirement key! values!:[]s
core.v1.TopologySelectorTerm! matchLabelExpressions:[]core.v1.TopologySelectorLabelRequirement
core.v1.TopologySpreadConstraint labelSelector:meta.v1.LabelSelector matchLabelKeys:[]s maxSkew!:i minDomains:i nodeAffinityPolicy nodeTaintsPolicy topologyKey! whenUnsatisfiable!
core.v1.TypedLocalObjectReference! apiGroup kind! name!
core.v1.TypedObjectReference apiGroup kind! name! namespace
core.v1.Volume awsElasticBlockStore:core.v1.AWSElasticBlockStoreVolumeSource azureDisk:core.v1.AzureDiskVolumeSource azureFile:core.v1.AzureFileVolumeSource cephfs:core.v1.CephFSVolumeSource cinder:core.v1.CinderVolumeSource configMap:core.v1.ConfigMapVolumeSource csi:core.v1.CSIVolumeSource downwardAPI:core.v1.DownwardAPIVolumeSource emptyDir:core.v1.EmptyDirVolumeSource ephemeral:core.v1.EphemeralVolumeSource fc:core.v1.FCVolumeSource flexVolume:core.v1.FlexVolumeSource flocker:core.v1.FlockerVolumeSource gcePersistentDisk:core.v1.GCEPersistentDiskVolumeSource gitRepo:core.v1.GitRepoVolumeSource glusterfs:core.v1.GlusterfsVolumeSource hostPath:core.v1.HostPathVolumeSource image:core.v1.ImageVolumeSource iscsi:core.v1.ISCSIVolumeSource name! nfs:core.v1.NFSVolumeSource persistentVolumeClaim:core.v1.PersistentVolumeClaimVolumeSource photonPersistentDisk:core.v1.PhotonPersistentDiskVolumeSource portworxVolume:core.v1.PortworxVolumeSource projected:core.v1.ProjectedVolumeSource quobyte:core.v1.QuobyteVolumeSource rbd:core.v1.RBDVolumeSource scaleIO:core.v1.ScaleIOVolumeSource secret:core.v1.SecretVolumeSource storageos:core.v1.StorageOSVolumeSource vsphereVolume:core.v1.VsphereVirtualDiskVolumeSource
core.v1.VolumeDevice devicePath! name!
core.v1.VolumeMount mountPath! mountPropagation name! readOnly:b recursiveReadOnly subPath subPathExpr
core.v1.VolumeMountStatus mountPath! name! readOnly:b recursiveReadOnly volumeStatus:core.v1.VolumeStatus
core.v1.VolumeNodeAffinity required:core.v1.NodeSelector
core.v1.VolumeProjection clusterTrustBundle:core.v1.ClusterTrustBundleProjection configMap:core.v1.ConfigMapProjection downwardAPI:core.v1.DownwardAPIProjection podCertificate:core.v1.PodCertificateProjection secret:core.v1.SecretProjection serviceAccountToken:core.v1.ServiceAccountTokenProjection
core.v1.VolumeResourceRequirements limits:{}q requests:{}q
core.v1.VolumeStatus image:core.v1.ImageVolumeStatus
core.v1.VsphereVirtualDiskVolumeSource fsType storagePolicyID storagePolicyName volumePath!
core.v1.WeightedPodAffinityTerm podAffinityTerm!:$core.v1.PodAffinityTerm weight!:i
core.v1.WindowsSecurityContextOptions gmsaCredentialSpec gmsaCredentialSpecName hostProcess:b runAsUserName
meta.v1.Condition lastTransitionTime!:t message! observedGeneration:I reason! status! type!
meta.v1.DeleteOptions apiVersion dryRun:[]s gracePeriodSeconds:I ignoreStoreReadErrorWithClusterBreakingPotential:b kind orphanDependents:b preconditions:meta.v1.Preconditions propagationPolicy
meta.v1.FieldSelectorRequirement key! operator! values:[]s
meta.v1.LabelSelector! matchExpressions:[]meta.v1.LabelSelectorRequirement matchLabels:{}s
meta.v1.LabelSelectorRequirement key! operator! values:[]s
meta.v1.ManagedFieldsEntry apiVersion fieldsType fieldsV1:? manager operation subresource time:t
meta.v1.ObjectMeta annotations:{}s creationTimestamp:t deletionGracePeriodSeconds:I deletionTimestamp:t finalizers:[=|]s generateName generation:I labels:{}s managedFields:[]meta.v1.ManagedFieldsEntry name namespace ownerReferences:[uid|uid]meta.v1.OwnerReference resourceVersion selfLink uid
meta.v1.OwnerReference! apiVersion! blockOwnerDeletion:b controller:b kind! name! uid!
meta.v1.Preconditions resourceVersion uid
`;

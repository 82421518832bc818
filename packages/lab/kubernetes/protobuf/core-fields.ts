/** The wire layout of the core kinds: message, then field:number:type. `decode.ts` describes the types. */
export const CORE_FIELDS = `
Affinity nodeAffinity:1:NodeAffinity podAffinity:2:PodAffinity podAntiAffinity:3:PodAntiAffinity
AppArmorProfile type:1 localhostProfile:2
Binding metadata:1:ObjectMeta target:2:ObjectReference
CSIVolumeSource driver:1 readOnly:2:b fsType:3 volumeAttributes:4:{} nodePublishSecretRef:5:LocalObjectReference
Capabilities add:1:* drop:2:*
ClientIPConfig timeoutSeconds:1:i
ConfigMap metadata:1:ObjectMeta immutable:4:b data:2:{} binaryData:3:{y}
ConfigMapEnvSource localObjectReference:1:^LocalObjectReference optional:2:b
ConfigMapKeySelector localObjectReference:1:^LocalObjectReference key:2 optional:3:b
ConfigMapNodeConfigSource namespace:1 name:2 uid:3 resourceVersion:4 kubeletConfigKey:5
ConfigMapProjection localObjectReference:1:^LocalObjectReference items:2:*KeyToPath optional:4:b
ConfigMapVolumeSource localObjectReference:1:^LocalObjectReference items:2:*KeyToPath defaultMode:3:i optional:4:b
Container name:1 image:2 command:3:* args:4:* workingDir:5 ports:6:*ContainerPort envFrom:19:*EnvFromSource env:7:*EnvVar resources:8:ResourceRequirements resizePolicy:23:*ContainerResizePolicy restartPolicy:24 volumeMounts:9:*VolumeMount volumeDevices:21:*VolumeDevice livenessProbe:10:Probe readinessProbe:11:Probe startupProbe:22:Probe lifecycle:12:Lifecycle terminationMessagePath:13 terminationMessagePolicy:20 imagePullPolicy:14 securityContext:15:SecurityContext stdin:16:b stdinOnce:17:b tty:18:b
ContainerPort name:1 hostPort:2:i containerPort:3:i protocol:4 hostIP:5
ContainerResizePolicy resourceName:1 restartPolicy:2
DownwardAPIProjection items:1:*DownwardAPIVolumeFile
DownwardAPIVolumeFile path:1 fieldRef:2:ObjectFieldSelector resourceFieldRef:3:ResourceFieldSelector mode:4:i
DownwardAPIVolumeSource items:1:*DownwardAPIVolumeFile defaultMode:2:i
EmptyDirVolumeSource medium:1 sizeLimit:2:Quantity
EndpointAddress ip:1 hostname:3 nodeName:4 targetRef:2:ObjectReference
EndpointPort name:1 port:2:i protocol:3 appProtocol:4
EndpointSubset addresses:1:*EndpointAddress notReadyAddresses:2:*EndpointAddress ports:3:*EndpointPort
Endpoints metadata:1:ObjectMeta subsets:2:*EndpointSubset
EnvFromSource prefix:1 configMapRef:2:ConfigMapEnvSource secretRef:3:SecretEnvSource
EnvVar name:1 value:2 valueFrom:3:EnvVarSource
EnvVarSource fieldRef:1:ObjectFieldSelector resourceFieldRef:2:ResourceFieldSelector configMapKeyRef:3:ConfigMapKeySelector secretKeyRef:4:SecretKeySelector
EphemeralVolumeSource volumeClaimTemplate:1:PersistentVolumeClaimTemplate
Event metadata:1:ObjectMeta involvedObject:2:ObjectReference reason:3 message:4 source:5:EventSource firstTimestamp:6:Time lastTimestamp:7:Time count:8:i type:9 eventTime:10:MicroTime series:11:EventSeries action:12 related:13:ObjectReference reportingComponent:14 reportingInstance:15
EventSeries count:1:i lastObservedTime:2:MicroTime
EventSource component:1 host:2
ExecAction command:1:*
GRPCAction port:1:i service:2
HTTPGetAction path:1 port:2:IntOrString host:3 scheme:4 httpHeaders:5:*HTTPHeader
HTTPHeader name:1 value:2
HostAlias ip:1 hostnames:2:*
HostPathVolumeSource path:1 type:2
KeyToPath key:1 path:2 mode:3:i
Lifecycle postStart:1:LifecycleHandler preStop:2:LifecycleHandler stopSignal:3
LifecycleHandler exec:1:ExecAction httpGet:2:HTTPGetAction tcpSocket:3:TCPSocketAction sleep:4:SleepAction
LocalObjectReference name:1
NFSVolumeSource server:1 path:2 readOnly:3:b
Namespace metadata:1:ObjectMeta spec:2:NamespaceSpec
NamespaceSpec finalizers:1:*
Node metadata:1:ObjectMeta spec:2:NodeSpec
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution:1:NodeSelector preferredDuringSchedulingIgnoredDuringExecution:2:*PreferredSchedulingTerm
NodeConfigSource configMap:2:ConfigMapNodeConfigSource
NodeSelector nodeSelectorTerms:1:*NodeSelectorTerm
NodeSelectorRequirement key:1 operator:2 values:3:*
NodeSelectorTerm matchExpressions:1:*NodeSelectorRequirement matchFields:2:*NodeSelectorRequirement
NodeSpec podCIDR:1 podCIDRs:7:* providerID:3 unschedulable:4:b taints:5:*Taint configSource:6:NodeConfigSource externalID:2
ObjectFieldSelector apiVersion:1 fieldPath:2
ObjectReference kind:1 namespace:2 name:3 uid:4 apiVersion:5 resourceVersion:6 fieldPath:7
PersistentVolumeClaim metadata:1:ObjectMeta spec:2:PersistentVolumeClaimSpec
PersistentVolumeClaimSpec accessModes:1:* selector:4:LabelSelector resources:2:VolumeResourceRequirements volumeName:3 storageClassName:5 volumeMode:6 dataSource:7:TypedLocalObjectReference dataSourceRef:8:TypedObjectReference volumeAttributesClassName:9
PersistentVolumeClaimTemplate metadata:1:ObjectMeta spec:2:PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource claimName:1 readOnly:2:b
Pod metadata:1:ObjectMeta spec:2:PodSpec
PodAffinity requiredDuringSchedulingIgnoredDuringExecution:1:*PodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution:2:*WeightedPodAffinityTerm
PodAffinityTerm labelSelector:1:LabelSelector namespaces:2:* topologyKey:3 namespaceSelector:4:LabelSelector matchLabelKeys:5:* mismatchLabelKeys:6:*
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution:1:*PodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution:2:*WeightedPodAffinityTerm
PodDNSConfig nameservers:1:* searches:2:* options:3:*PodDNSConfigOption
PodDNSConfigOption name:1 value:2
PodOS name:1
PodReadinessGate conditionType:1
PodSecurityContext seLinuxOptions:1:SELinuxOptions runAsUser:2:i runAsGroup:6:i runAsNonRoot:3:b supplementalGroups:4:*i supplementalGroupsPolicy:12 fsGroup:5:i sysctls:7:*Sysctl fsGroupChangePolicy:9 seccompProfile:10:SeccompProfile appArmorProfile:11:AppArmorProfile seLinuxChangePolicy:13
PodSpec volumes:1:*Volume initContainers:20:*Container containers:2:*Container restartPolicy:3 terminationGracePeriodSeconds:4:i activeDeadlineSeconds:5:i dnsPolicy:6 nodeSelector:7:{} serviceAccountName:8 serviceAccount:9 automountServiceAccountToken:21:b nodeName:10 hostNetwork:11:b hostPID:12:b hostIPC:13:b shareProcessNamespace:27:b securityContext:14:PodSecurityContext imagePullSecrets:15:*LocalObjectReference hostname:16 subdomain:17 affinity:18:Affinity schedulerName:19 tolerations:22:*Toleration hostAliases:23:*HostAlias priorityClassName:24 priority:25:i dnsConfig:26:PodDNSConfig readinessGates:28:*PodReadinessGate runtimeClassName:29 enableServiceLinks:30:b preemptionPolicy:31 overhead:32:{Quantity} topologySpreadConstraints:33:*TopologySpreadConstraint setHostnameAsFQDN:35:b os:36:PodOS hostUsers:37:b resources:40:ResourceRequirements hostnameOverride:41
PodTemplateSpec metadata:1:ObjectMeta spec:2:PodSpec
PreferredSchedulingTerm weight:1:i preference:2:NodeSelectorTerm
Probe handler:1:^ProbeHandler initialDelaySeconds:2:i timeoutSeconds:3:i periodSeconds:4:i successThreshold:5:i failureThreshold:6:i terminationGracePeriodSeconds:7:i
ProbeHandler exec:1:ExecAction httpGet:2:HTTPGetAction tcpSocket:3:TCPSocketAction grpc:4:GRPCAction
ProjectedVolumeSource sources:1:*VolumeProjection defaultMode:2:i
ResourceClaim name:1 request:2
ResourceFieldSelector containerName:1 resource:2 divisor:3:Quantity
ResourceQuota metadata:1:ObjectMeta spec:2:ResourceQuotaSpec
ResourceQuotaSpec hard:1:{Quantity} scopes:2:* scopeSelector:3:ScopeSelector
ResourceRequirements limits:1:{Quantity} requests:2:{Quantity} claims:3:*ResourceClaim
SELinuxOptions user:1 role:2 type:3 level:4
ScopeSelector matchExpressions:1:*ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement scopeName:1 operator:2 values:3:*
SeccompProfile type:1 localhostProfile:2
Secret metadata:1:ObjectMeta immutable:5:b data:2:{y} stringData:4:{} type:3
SecretEnvSource localObjectReference:1:^LocalObjectReference optional:2:b
SecretKeySelector localObjectReference:1:^LocalObjectReference key:2 optional:3:b
SecretProjection localObjectReference:1:^LocalObjectReference items:2:*KeyToPath optional:4:b
SecretVolumeSource secretName:1 items:2:*KeyToPath defaultMode:3:i optional:4:b
SecurityContext capabilities:1:Capabilities privileged:2:b seLinuxOptions:3:SELinuxOptions runAsUser:4:i runAsGroup:8:i runAsNonRoot:5:b readOnlyRootFilesystem:6:b allowPrivilegeEscalation:7:b procMount:9 seccompProfile:11:SeccompProfile appArmorProfile:12:AppArmorProfile
Service metadata:1:ObjectMeta spec:2:ServiceSpec
ServiceAccount metadata:1:ObjectMeta secrets:2:*ObjectReference imagePullSecrets:3:*LocalObjectReference automountServiceAccountToken:4:b
ServiceAccountTokenProjection audience:1 expirationSeconds:2:i path:3
ServicePort name:1 protocol:2 appProtocol:6 port:3:i targetPort:4:IntOrString nodePort:5:i
ServiceSpec ports:1:*ServicePort selector:2:{} clusterIP:3 clusterIPs:18:* type:4 externalIPs:5:* sessionAffinity:7 loadBalancerIP:8 loadBalancerSourceRanges:9:* externalName:10 externalTrafficPolicy:11 healthCheckNodePort:12:i publishNotReadyAddresses:13:b sessionAffinityConfig:14:SessionAffinityConfig ipFamilies:19:* ipFamilyPolicy:17 allocateLoadBalancerNodePorts:20:b loadBalancerClass:21 internalTrafficPolicy:22 trafficDistribution:23
SessionAffinityConfig clientIP:1:ClientIPConfig
SleepAction seconds:1:i
Sysctl name:1 value:2
TCPSocketAction port:1:IntOrString host:2
Taint key:1 value:2 effect:3 timeAdded:4:Time
Toleration key:1 operator:2 value:3 effect:4 tolerationSeconds:5:i
TopologySelectorLabelRequirement key:1 values:2:*
TopologySelectorTerm matchLabelExpressions:1:*TopologySelectorLabelRequirement
TopologySpreadConstraint maxSkew:1:i topologyKey:2 whenUnsatisfiable:3 labelSelector:4:LabelSelector minDomains:5:i nodeAffinityPolicy:6 nodeTaintsPolicy:7 matchLabelKeys:8:*
TypedLocalObjectReference apiGroup:1 kind:2 name:3
TypedObjectReference apiGroup:1 kind:2 name:3 namespace:4
Volume name:1 volumeSource:2:^VolumeSource
VolumeDevice name:1 devicePath:2
VolumeMount name:1 readOnly:2:b recursiveReadOnly:7 mountPath:3 subPath:4 mountPropagation:5 subPathExpr:6
VolumeProjection secret:1:SecretProjection downwardAPI:2:DownwardAPIProjection configMap:3:ConfigMapProjection serviceAccountToken:4:ServiceAccountTokenProjection
VolumeResourceRequirements limits:1:{Quantity} requests:2:{Quantity}
VolumeSource hostPath:1:HostPathVolumeSource emptyDir:2:EmptyDirVolumeSource secret:6:SecretVolumeSource nfs:7:NFSVolumeSource persistentVolumeClaim:10:PersistentVolumeClaimVolumeSource downwardAPI:16:DownwardAPIVolumeSource configMap:19:ConfigMapVolumeSource projected:26:ProjectedVolumeSource csi:28:CSIVolumeSource ephemeral:29:EphemeralVolumeSource
WeightedPodAffinityTerm weight:1:i podAffinityTerm:2:PodAffinityTerm
`;

/** The wire layout of the other groups' kinds and of the common metadata. */
export const OTHER_FIELDS = `
DaemonSet metadata:1:ObjectMeta spec:2:DaemonSetSpec
DaemonSetSpec selector:1:LabelSelector template:2:PodTemplateSpec updateStrategy:3:DaemonSetUpdateStrategy minReadySeconds:4:i revisionHistoryLimit:6:i
DaemonSetUpdateStrategy type:1 rollingUpdate:2:RollingUpdateDaemonSet
Deployment metadata:1:ObjectMeta spec:2:DeploymentSpec
DeploymentSpec replicas:1:i selector:2:LabelSelector template:3:PodTemplateSpec strategy:4:DeploymentStrategy minReadySeconds:5:i revisionHistoryLimit:6:i paused:7:b progressDeadlineSeconds:9:i
DeploymentStrategy type:1 rollingUpdate:2:RollingUpdateDeployment
ReplicaSet metadata:1:ObjectMeta spec:2:ReplicaSetSpec
ReplicaSetSpec replicas:1:i minReadySeconds:4:i selector:2:LabelSelector template:3:PodTemplateSpec
RollingUpdateDaemonSet maxUnavailable:1:IntOrString maxSurge:2:IntOrString
RollingUpdateDeployment maxUnavailable:1:IntOrString maxSurge:2:IntOrString
RollingUpdateStatefulSetStrategy partition:1:i maxUnavailable:2:IntOrString
StatefulSet metadata:1:ObjectMeta spec:2:StatefulSetSpec
StatefulSetOrdinals start:1:i
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted:1 whenScaled:2
StatefulSetSpec replicas:1:i selector:2:LabelSelector template:3:PodTemplateSpec volumeClaimTemplates:4:*PersistentVolumeClaim serviceName:5 podManagementPolicy:6 updateStrategy:7:StatefulSetUpdateStrategy revisionHistoryLimit:8:i minReadySeconds:9:i persistentVolumeClaimRetentionPolicy:10:StatefulSetPersistentVolumeClaimRetentionPolicy ordinals:11:StatefulSetOrdinals
StatefulSetUpdateStrategy type:1 rollingUpdate:2:RollingUpdateStatefulSetStrategy
autoscaling/v1.HorizontalPodAutoscaler metadata:1:ObjectMeta spec:2:autoscaling/v1.HorizontalPodAutoscalerSpec
autoscaling/v1.HorizontalPodAutoscalerSpec scaleTargetRef:1:CrossVersionObjectReference minReplicas:2:i maxReplicas:3:i targetCPUUtilizationPercentage:4:i
CrossVersionObjectReference kind:1 name:2 apiVersion:3
HPAScalingPolicy type:1 value:2:i periodSeconds:3:i
HPAScalingRules stabilizationWindowSeconds:3:i selectPolicy:1 policies:2:*HPAScalingPolicy tolerance:4:Quantity
HorizontalPodAutoscaler metadata:1:ObjectMeta spec:2:HorizontalPodAutoscalerSpec
HorizontalPodAutoscalerBehavior scaleUp:1:HPAScalingRules scaleDown:2:HPAScalingRules
HorizontalPodAutoscalerSpec scaleTargetRef:1:CrossVersionObjectReference minReplicas:2:i maxReplicas:3:i metrics:4:*MetricSpec behavior:5:HorizontalPodAutoscalerBehavior
ContainerResourceMetricSource name:1 target:2:MetricTarget container:3
ExternalMetricSource metric:1:MetricIdentifier target:2:MetricTarget
MetricIdentifier name:1 selector:2:LabelSelector
MetricSpec type:1 object:2:ObjectMetricSource pods:3:PodsMetricSource resource:4:ResourceMetricSource containerResource:7:ContainerResourceMetricSource external:5:ExternalMetricSource
MetricTarget type:1 value:2:Quantity averageValue:3:Quantity averageUtilization:4:i
ObjectMetricSource describedObject:1:CrossVersionObjectReference target:2:MetricTarget metric:3:MetricIdentifier
PodsMetricSource metric:1:MetricIdentifier target:2:MetricTarget
ResourceMetricSource name:1 target:2:MetricTarget
CertificateSigningRequest metadata:1:ObjectMeta spec:2:CertificateSigningRequestSpec status:3:CertificateSigningRequestStatus
CertificateSigningRequestCondition type:1 status:6 reason:2 message:3 lastUpdateTime:4:Time lastTransitionTime:5:Time
CertificateSigningRequestSpec request:1:y signerName:7 expirationSeconds:8:i usages:5:* username:2 uid:3 groups:4:* extra:6:{ExtraValue}
CertificateSigningRequestStatus conditions:1:*CertificateSigningRequestCondition certificate:2:y
BoundObjectReference kind:1 apiVersion:2 name:3 uid:4
SelfSubjectReview metadata:1:ObjectMeta
TokenRequest metadata:1:ObjectMeta spec:2:TokenRequestSpec
TokenRequestSpec audiences:1:* expirationSeconds:4:i boundObjectRef:3:BoundObjectReference
TokenReview metadata:1:ObjectMeta spec:2:TokenReviewSpec
TokenReviewSpec token:1 audiences:2:*
ExtraValue items:1:*
FieldSelectorAttributes rawSelector:1 requirements:2:*FieldSelectorRequirement
LabelSelectorAttributes rawSelector:1 requirements:2:*LabelSelectorRequirement
NonResourceAttributes path:1 verb:2
ResourceAttributes namespace:1 verb:2 group:3 version:4 resource:5 subresource:6 name:7 fieldSelector:8:FieldSelectorAttributes labelSelector:9:LabelSelectorAttributes
SelfSubjectAccessReview metadata:1:ObjectMeta spec:2:SelfSubjectAccessReviewSpec
SelfSubjectAccessReviewSpec resourceAttributes:1:ResourceAttributes nonResourceAttributes:2:NonResourceAttributes
SelfSubjectRulesReview metadata:1:ObjectMeta spec:2:SelfSubjectRulesReviewSpec
SelfSubjectRulesReviewSpec namespace:1
SubjectAccessReview metadata:1:ObjectMeta spec:2:SubjectAccessReviewSpec
SubjectAccessReviewSpec resourceAttributes:1:ResourceAttributes nonResourceAttributes:2:NonResourceAttributes user:3 groups:4:* extra:5:{ExtraValue} uid:6
Scale metadata:1:ObjectMeta spec:2:ScaleSpec
ScaleSpec replicas:1:i
CronJob metadata:1:ObjectMeta spec:2:CronJobSpec
CronJobSpec schedule:1 timeZone:8 startingDeadlineSeconds:2:i concurrencyPolicy:3 suspend:4:b jobTemplate:5:JobTemplateSpec successfulJobsHistoryLimit:6:i failedJobsHistoryLimit:7:i
Job metadata:1:ObjectMeta spec:2:JobSpec
JobSpec parallelism:1:i completions:2:i activeDeadlineSeconds:3:i backoffLimit:7:i backoffLimitPerIndex:12:i maxFailedIndexes:13:i selector:4:LabelSelector manualSelector:5:b template:6:PodTemplateSpec ttlSecondsAfterFinished:8:i completionMode:9 suspend:10:b podReplacementPolicy:14 managedBy:15
JobTemplateSpec metadata:1:ObjectMeta spec:2:JobSpec
Lease metadata:1:ObjectMeta spec:2:LeaseSpec
LeaseSpec holderIdentity:1 leaseDurationSeconds:2:i acquireTime:3:MicroTime renewTime:4:MicroTime leaseTransitions:5:i strategy:6 preferredHolder:7
DeleteOptions gracePeriodSeconds:1:i preconditions:2:Preconditions orphanDependents:3:b propagationPolicy:4 dryRun:5:* ignoreStoreReadErrorWithClusterBreakingPotential:6:b
FieldSelectorRequirement key:1 operator:2 values:3:*
LabelSelector matchLabels:1:{} matchExpressions:2:*LabelSelectorRequirement
LabelSelectorRequirement key:1 operator:2 values:3:*
ObjectMeta name:1 generateName:2 namespace:3 selfLink:4 uid:5 resourceVersion:6 generation:7:i creationTimestamp:8:Time deletionTimestamp:9:Time deletionGracePeriodSeconds:10:i labels:11:{} annotations:12:{} ownerReferences:13:*OwnerReference finalizers:14:*
OwnerReference apiVersion:5 kind:1 name:3 uid:4 controller:6:b blockOwnerDeletion:7:b
Preconditions uid:1 resourceVersion:2
HTTPIngressPath path:1 pathType:3 backend:2:IngressBackend
HTTPIngressRuleValue paths:1:*HTTPIngressPath
IPBlock cidr:1 except:2:*
Ingress metadata:1:ObjectMeta spec:2:IngressSpec
IngressBackend service:4:IngressServiceBackend resource:3:TypedLocalObjectReference
IngressClass metadata:1:ObjectMeta spec:2:IngressClassSpec
IngressClassParametersReference apiGroup:1 kind:2 name:3 scope:4 namespace:5
IngressClassSpec controller:1 parameters:2:IngressClassParametersReference
IngressRule host:1 ingressRuleValue:2:^IngressRuleValue
IngressRuleValue http:1:HTTPIngressRuleValue
IngressServiceBackend name:1 port:2:ServiceBackendPort
IngressSpec ingressClassName:4 defaultBackend:1:IngressBackend tls:2:*IngressTLS rules:3:*IngressRule
IngressTLS hosts:1:* secretName:2
NetworkPolicy metadata:1:ObjectMeta spec:2:NetworkPolicySpec
NetworkPolicyEgressRule ports:1:*NetworkPolicyPort to:2:*NetworkPolicyPeer
NetworkPolicyIngressRule ports:1:*NetworkPolicyPort from:2:*NetworkPolicyPeer
NetworkPolicyPeer podSelector:1:LabelSelector namespaceSelector:2:LabelSelector ipBlock:3:IPBlock
NetworkPolicyPort protocol:1 port:2:IntOrString endPort:3:i
NetworkPolicySpec podSelector:1:LabelSelector ingress:2:*NetworkPolicyIngressRule egress:3:*NetworkPolicyEgressRule policyTypes:4:*
ServiceBackendPort name:1 number:2:i
Eviction metadata:1:ObjectMeta deleteOptions:2:DeleteOptions
PodDisruptionBudget metadata:1:ObjectMeta spec:2:PodDisruptionBudgetSpec
PodDisruptionBudgetSpec minAvailable:1:IntOrString selector:2:LabelSelector maxUnavailable:3:IntOrString unhealthyPodEvictionPolicy:4
AggregationRule clusterRoleSelectors:1:*LabelSelector
ClusterRole metadata:1:ObjectMeta rules:2:*PolicyRule aggregationRule:3:AggregationRule
ClusterRoleBinding metadata:1:ObjectMeta subjects:2:*Subject roleRef:3:RoleRef
PolicyRule verbs:1:* apiGroups:2:* resources:3:* resourceNames:4:* nonResourceURLs:5:*
Role metadata:1:ObjectMeta rules:2:*PolicyRule
RoleBinding metadata:1:ObjectMeta subjects:2:*Subject roleRef:3:RoleRef
RoleRef apiGroup:1 kind:2 name:3
Subject kind:1 apiGroup:2 name:3 namespace:4
PriorityClass metadata:1:ObjectMeta value:2:i globalDefault:3:b description:4 preemptionPolicy:5
StorageClass metadata:1:ObjectMeta provisioner:2 parameters:3:{} reclaimPolicy:4 mountOptions:5:* allowVolumeExpansion:6:b volumeBindingMode:7 allowedTopologies:8:*TopologySelectorTerm
`;

/** The types outside the core group, in the format of core-types.ts. */
export const OTHER_TYPES = `
admissionregistration.v1.ApplyConfiguration expression
admissionregistration.v1.AuditAnnotation key! valueExpression!
admissionregistration.v1.ExpressionWarning fieldRef! warning!
admissionregistration.v1.JSONPatch expression
admissionregistration.v1.MatchCondition expression! name!
admissionregistration.v1.MatchResources! excludeResourceRules:[]admissionregistration.v1.NamedRuleWithOperations matchPolicy namespaceSelector:meta.v1.LabelSelector objectSelector:meta.v1.LabelSelector resourceRules:[]admissionregistration.v1.NamedRuleWithOperations
admissionregistration.v1.MutatingAdmissionPolicy apiVersion kind metadata:$meta.v1.ObjectMeta spec:$admissionregistration.v1.MutatingAdmissionPolicySpec
admissionregistration.v1.MutatingAdmissionPolicyBinding apiVersion kind metadata:$meta.v1.ObjectMeta spec:$admissionregistration.v1.MutatingAdmissionPolicyBindingSpec
admissionregistration.v1.MutatingAdmissionPolicyBindingSpec matchResources:admissionregistration.v1.MatchResources paramRef:admissionregistration.v1.ParamRef policyName
admissionregistration.v1.MutatingAdmissionPolicySpec failurePolicy matchConditions:[name|name]admissionregistration.v1.MatchCondition matchConstraints:admissionregistration.v1.MatchResources mutations:[]admissionregistration.v1.Mutation paramKind:admissionregistration.v1.ParamKind reinvocationPolicy variables:[]admissionregistration.v1.Variable
admissionregistration.v1.MutatingWebhook admissionReviewVersions!:[]s clientConfig!:$admissionregistration.v1.WebhookClientConfig failurePolicy matchConditions:[name|name]admissionregistration.v1.MatchCondition matchPolicy name! namespaceSelector:meta.v1.LabelSelector objectSelector:meta.v1.LabelSelector reinvocationPolicy rules:[]admissionregistration.v1.RuleWithOperations sideEffects! timeoutSeconds:i
admissionregistration.v1.MutatingWebhookConfiguration apiVersion kind metadata:$meta.v1.ObjectMeta webhooks:[name|name]admissionregistration.v1.MutatingWebhook
admissionregistration.v1.Mutation applyConfiguration:admissionregistration.v1.ApplyConfiguration jsonPatch:admissionregistration.v1.JSONPatch patchType!
admissionregistration.v1.NamedRuleWithOperations! apiGroups:[]s apiVersions:[]s operations:[]s resourceNames:[]s resources:[]s scope
admissionregistration.v1.ParamKind! apiVersion kind
admissionregistration.v1.ParamRef! name namespace parameterNotFoundAction selector:meta.v1.LabelSelector
admissionregistration.v1.RuleWithOperations apiGroups:[]s apiVersions:[]s operations:[]s resources:[]s scope
admissionregistration.v1.ServiceReference name! namespace! path port:i
admissionregistration.v1.TypeChecking expressionWarnings:[]admissionregistration.v1.ExpressionWarning
admissionregistration.v1.ValidatingAdmissionPolicy apiVersion kind metadata:$meta.v1.ObjectMeta spec:$admissionregistration.v1.ValidatingAdmissionPolicySpec status:$admissionregistration.v1.ValidatingAdmissionPolicyStatus
admissionregistration.v1.ValidatingAdmissionPolicyBinding apiVersion kind metadata:$meta.v1.ObjectMeta spec!:$admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec
admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec matchResources:admissionregistration.v1.MatchResources paramRef:admissionregistration.v1.ParamRef policyName! validationActions!:[=]s
admissionregistration.v1.ValidatingAdmissionPolicySpec auditAnnotations:[]admissionregistration.v1.AuditAnnotation failurePolicy matchConditions:[name|name]admissionregistration.v1.MatchCondition matchConstraints:admissionregistration.v1.MatchResources paramKind:admissionregistration.v1.ParamKind validations:[]admissionregistration.v1.Validation variables:[name|name]admissionregistration.v1.Variable
admissionregistration.v1.ValidatingAdmissionPolicyStatus conditions:[type]meta.v1.Condition observedGeneration:I typeChecking:admissionregistration.v1.TypeChecking
admissionregistration.v1.ValidatingWebhook admissionReviewVersions!:[]s clientConfig!:$admissionregistration.v1.WebhookClientConfig failurePolicy matchConditions:[name|name]admissionregistration.v1.MatchCondition matchPolicy name! namespaceSelector:meta.v1.LabelSelector objectSelector:meta.v1.LabelSelector rules:[]admissionregistration.v1.RuleWithOperations sideEffects! timeoutSeconds:i
admissionregistration.v1.ValidatingWebhookConfiguration apiVersion kind metadata:$meta.v1.ObjectMeta webhooks:[name|name]admissionregistration.v1.ValidatingWebhook
admissionregistration.v1.Validation expression! message messageExpression reason
admissionregistration.v1.Variable! expression! name!
admissionregistration.v1.WebhookClientConfig caBundle:y service:admissionregistration.v1.ServiceReference url
apiextensions.v1.CustomResourceColumnDefinition description format jsonPath! name! priority:i type!
apiextensions.v1.CustomResourceConversion strategy! webhook:apiextensions.v1.WebhookConversion
apiextensions.v1.CustomResourceDefinition apiVersion kind metadata:$meta.v1.ObjectMeta spec!:$apiextensions.v1.CustomResourceDefinitionSpec status:$apiextensions.v1.CustomResourceDefinitionStatus
apiextensions.v1.CustomResourceDefinitionCondition lastTransitionTime:t message observedGeneration:I reason status! type!
apiextensions.v1.CustomResourceDefinitionNames categories:[]s kind! listKind plural! shortNames:[]s singular
apiextensions.v1.CustomResourceDefinitionSpec conversion:apiextensions.v1.CustomResourceConversion group! names!:$apiextensions.v1.CustomResourceDefinitionNames preserveUnknownFields:b scope! versions!:[]apiextensions.v1.CustomResourceDefinitionVersion
apiextensions.v1.CustomResourceDefinitionStatus acceptedNames:$apiextensions.v1.CustomResourceDefinitionNames conditions:[type]apiextensions.v1.CustomResourceDefinitionCondition observedGeneration:I storedVersions:[]s
apiextensions.v1.CustomResourceDefinitionVersion additionalPrinterColumns:[]apiextensions.v1.CustomResourceColumnDefinition deprecated:b deprecationWarning name! schema:apiextensions.v1.CustomResourceValidation selectableFields:[]apiextensions.v1.SelectableField served!:b storage!:b subresources:apiextensions.v1.CustomResourceSubresources
apiextensions.v1.CustomResourceSubresourceScale labelSelectorPath specReplicasPath! statusReplicasPath!
apiextensions.v1.CustomResourceSubresourceStatus
apiextensions.v1.CustomResourceSubresources scale:apiextensions.v1.CustomResourceSubresourceScale status:apiextensions.v1.CustomResourceSubresourceStatus
apiextensions.v1.CustomResourceValidation openAPIV3Schema:apiextensions.v1.JSONSchemaProps
apiextensions.v1.ExternalDocumentation description url
apiextensions.v1.JSONSchemaProps $ref $schema additionalItems:? additionalProperties:? allOf:[]apiextensions.v1.JSONSchemaProps anyOf:[]apiextensions.v1.JSONSchemaProps default:? definitions:{}apiextensions.v1.JSONSchemaProps dependencies:{}? description enum:[]? example:? exclusiveMaximum:b exclusiveMinimum:b externalDocs:apiextensions.v1.ExternalDocumentation format id items:? maxItems:I maxLength:I maxProperties:I maximum:n minItems:I minLength:I minProperties:I minimum:n multipleOf:n not:apiextensions.v1.JSONSchemaProps nullable:b oneOf:[]apiextensions.v1.JSONSchemaProps pattern patternProperties:{}apiextensions.v1.JSONSchemaProps properties:{}apiextensions.v1.JSONSchemaProps required:[]s title type uniqueItems:b x-kubernetes-embedded-resource:b x-kubernetes-int-or-string:b x-kubernetes-list-map-keys:[]s x-kubernetes-list-type x-kubernetes-map-type x-kubernetes-preserve-unknown-fields:b x-kubernetes-validations:[rule|rule]apiextensions.v1.ValidationRule
apiextensions.v1.SelectableField jsonPath!
apiextensions.v1.ServiceReference name! namespace! path port:i
apiextensions.v1.ValidationRule fieldPath message messageExpression optionalOldSelf:b reason rule!
apiextensions.v1.WebhookClientConfig caBundle:y service:apiextensions.v1.ServiceReference url
apiextensions.v1.WebhookConversion clientConfig:apiextensions.v1.WebhookClientConfig conversionReviewVersions!:[]s
apiregistration.v1.APIService apiVersion kind metadata:$meta.v1.ObjectMeta spec:$apiregistration.v1.APIServiceSpec status:$apiregistration.v1.APIServiceStatus
apiregistration.v1.APIServiceCondition lastTransitionTime:t message reason status! type!
apiregistration.v1.APIServiceSpec caBundle:y group groupPriorityMinimum!:i insecureSkipTLSVerify:b service:apiregistration.v1.ServiceReference version versionPriority!:i
apiregistration.v1.APIServiceStatus conditions:[type|type]apiregistration.v1.APIServiceCondition
apiregistration.v1.ServiceReference name namespace port:i
apps.v1.ControllerRevision apiVersion data:? kind metadata:$meta.v1.ObjectMeta revision!:I
apps.v1.DaemonSet apiVersion kind metadata:$meta.v1.ObjectMeta spec:$apps.v1.DaemonSetSpec status:$apps.v1.DaemonSetStatus
apps.v1.DaemonSetCondition lastTransitionTime:t message reason status! type!
apps.v1.DaemonSetSpec minReadySeconds:i revisionHistoryLimit:i selector!:meta.v1.LabelSelector template!:$core.v1.PodTemplateSpec updateStrategy:$apps.v1.DaemonSetUpdateStrategy
apps.v1.DaemonSetStatus collisionCount:i conditions:[type|type]apps.v1.DaemonSetCondition currentNumberScheduled!:i desiredNumberScheduled!:i numberAvailable:i numberMisscheduled!:i numberReady!:i numberUnavailable:i observedGeneration:I updatedNumberScheduled:i
apps.v1.DaemonSetUpdateStrategy rollingUpdate:apps.v1.RollingUpdateDaemonSet type
apps.v1.Deployment apiVersion kind metadata:$meta.v1.ObjectMeta spec:$apps.v1.DeploymentSpec status:$apps.v1.DeploymentStatus
apps.v1.DeploymentCondition lastTransitionTime:t lastUpdateTime:t message reason status! type!
apps.v1.DeploymentSpec minReadySeconds:i paused:b progressDeadlineSeconds:i replicas:i revisionHistoryLimit:i selector!:meta.v1.LabelSelector strategy:$apps.v1.DeploymentStrategy template!:$core.v1.PodTemplateSpec
apps.v1.DeploymentStatus availableReplicas:i collisionCount:i conditions:[type|type]apps.v1.DeploymentCondition observedGeneration:I readyReplicas:i replicas:i terminatingReplicas:i unavailableReplicas:i updatedReplicas:i
apps.v1.DeploymentStrategy rollingUpdate:apps.v1.RollingUpdateDeployment type
apps.v1.ReplicaSet apiVersion kind metadata:$meta.v1.ObjectMeta spec:$apps.v1.ReplicaSetSpec status:$apps.v1.ReplicaSetStatus
apps.v1.ReplicaSetCondition lastTransitionTime:t message reason status! type!
apps.v1.ReplicaSetSpec minReadySeconds:i replicas:i selector!:meta.v1.LabelSelector template:$core.v1.PodTemplateSpec
apps.v1.ReplicaSetStatus availableReplicas:i conditions:[type|type]apps.v1.ReplicaSetCondition fullyLabeledReplicas:i observedGeneration:I readyReplicas:i replicas!:i terminatingReplicas:i
apps.v1.RollingUpdateDaemonSet maxSurge:# maxUnavailable:#
apps.v1.RollingUpdateDeployment maxSurge:# maxUnavailable:#
apps.v1.RollingUpdateStatefulSetStrategy maxUnavailable:# partition:i
apps.v1.StatefulSet apiVersion kind metadata:$meta.v1.ObjectMeta spec:$apps.v1.StatefulSetSpec status:$apps.v1.StatefulSetStatus
apps.v1.StatefulSetCondition lastTransitionTime:t message reason status! type!
apps.v1.StatefulSetOrdinals start:i
apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted whenScaled
apps.v1.StatefulSetSpec minReadySeconds:i ordinals:apps.v1.StatefulSetOrdinals persistentVolumeClaimRetentionPolicy:apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy podManagementPolicy replicas:i revisionHistoryLimit:i selector!:meta.v1.LabelSelector serviceName template!:$core.v1.PodTemplateSpec updateStrategy:$apps.v1.StatefulSetUpdateStrategy volumeClaimTemplates:[]core.v1.PersistentVolumeClaim
apps.v1.StatefulSetStatus availableReplicas:i collisionCount:i conditions:[type|type]apps.v1.StatefulSetCondition currentReplicas:i currentRevision observedGeneration:I readyReplicas:i replicas!:i updateRevision updatedReplicas:i
apps.v1.StatefulSetUpdateStrategy rollingUpdate:apps.v1.RollingUpdateStatefulSetStrategy type
authentication.v1.BoundObjectReference apiVersion kind name uid
authentication.v1.SelfSubjectReview apiVersion kind metadata:$meta.v1.ObjectMeta status:$authentication.v1.SelfSubjectReviewStatus
authentication.v1.SelfSubjectReviewStatus userInfo:$authentication.v1.UserInfo
authentication.v1.TokenRequest apiVersion kind metadata:$meta.v1.ObjectMeta spec:$authentication.v1.TokenRequestSpec status:$authentication.v1.TokenRequestStatus
authentication.v1.TokenRequestSpec audiences:[]s boundObjectRef:authentication.v1.BoundObjectReference expirationSeconds:I
authentication.v1.TokenRequestStatus expirationTimestamp:t token
authentication.v1.TokenReview apiVersion kind metadata:$meta.v1.ObjectMeta spec!:$authentication.v1.TokenReviewSpec status:$authentication.v1.TokenReviewStatus
authentication.v1.TokenReviewSpec audiences:[]s token!
authentication.v1.TokenReviewStatus audiences:[]s authenticated:b error user:$authentication.v1.UserInfo
authentication.v1.UserInfo extra:{}[]s groups:[]s uid username
authorization.v1.FieldSelectorAttributes rawSelector requirements:[]meta.v1.FieldSelectorRequirement
authorization.v1.LabelSelectorAttributes rawSelector requirements:[]meta.v1.LabelSelectorRequirement
authorization.v1.LocalSubjectAccessReview apiVersion kind metadata:$meta.v1.ObjectMeta spec!:$authorization.v1.SubjectAccessReviewSpec status:$authorization.v1.SubjectAccessReviewStatus
authorization.v1.NonResourceAttributes path verb
authorization.v1.NonResourceRule nonResourceURLs:[]s verbs!:[]s
authorization.v1.ResourceAttributes fieldSelector:authorization.v1.FieldSelectorAttributes group labelSelector:authorization.v1.LabelSelectorAttributes name namespace resource subresource verb version
authorization.v1.ResourceRule apiGroups:[]s resourceNames:[]s resources:[]s verbs!:[]s
authorization.v1.SelfSubjectAccessReview apiVersion kind metadata:$meta.v1.ObjectMeta spec!:$authorization.v1.SelfSubjectAccessReviewSpec status:$authorization.v1.SubjectAccessReviewStatus
authorization.v1.SelfSubjectAccessReviewSpec nonResourceAttributes:authorization.v1.NonResourceAttributes resourceAttributes:authorization.v1.ResourceAttributes
authorization.v1.SelfSubjectRulesReview apiVersion kind metadata:$meta.v1.ObjectMeta spec!:$authorization.v1.SelfSubjectRulesReviewSpec status:$authorization.v1.SubjectRulesReviewStatus
authorization.v1.SelfSubjectRulesReviewSpec namespace
authorization.v1.SubjectAccessReview apiVersion kind metadata:$meta.v1.ObjectMeta spec!:$authorization.v1.SubjectAccessReviewSpec status:$authorization.v1.SubjectAccessReviewStatus
authorization.v1.SubjectAccessReviewSpec extra:{}[]s groups:[]s nonResourceAttributes:authorization.v1.NonResourceAttributes resourceAttributes:authorization.v1.ResourceAttributes uid user
authorization.v1.SubjectAccessReviewStatus allowed!:b denied:b evaluationError reason
authorization.v1.SubjectRulesReviewStatus evaluationError incomplete!:b nonResourceRules!:[]authorization.v1.NonResourceRule resourceRules!:[]authorization.v1.ResourceRule
autoscaling.v1.CrossVersionObjectReference! apiVersion kind! name!
autoscaling.v1.HorizontalPodAutoscaler apiVersion kind metadata:$meta.v1.ObjectMeta spec!:$autoscaling.v1.HorizontalPodAutoscalerSpec status:$autoscaling.v1.HorizontalPodAutoscalerStatus
autoscaling.v1.HorizontalPodAutoscalerSpec maxReplicas!:i minReplicas:i scaleTargetRef!:$autoscaling.v1.CrossVersionObjectReference targetCPUUtilizationPercentage:i
autoscaling.v1.HorizontalPodAutoscalerStatus currentCPUUtilizationPercentage:i currentReplicas!:i desiredReplicas!:i lastScaleTime:t observedGeneration:I
autoscaling.v1.Scale apiVersion kind metadata:$meta.v1.ObjectMeta spec:$autoscaling.v1.ScaleSpec status:$autoscaling.v1.ScaleStatus
autoscaling.v1.ScaleSpec replicas:i
autoscaling.v1.ScaleStatus replicas!:i selector
autoscaling.v2.ContainerResourceMetricSource container! name! target!:$autoscaling.v2.MetricTarget
autoscaling.v2.ContainerResourceMetricStatus container! current!:$autoscaling.v2.MetricValueStatus name!
autoscaling.v2.CrossVersionObjectReference apiVersion kind! name!
autoscaling.v2.ExternalMetricSource metric!:$autoscaling.v2.MetricIdentifier target!:$autoscaling.v2.MetricTarget
autoscaling.v2.ExternalMetricStatus current!:$autoscaling.v2.MetricValueStatus metric!:$autoscaling.v2.MetricIdentifier
autoscaling.v2.HPAScalingPolicy periodSeconds!:i type! value!:i
autoscaling.v2.HPAScalingRules policies:[]autoscaling.v2.HPAScalingPolicy selectPolicy stabilizationWindowSeconds:i tolerance:q
autoscaling.v2.HorizontalPodAutoscaler apiVersion kind metadata:$meta.v1.ObjectMeta spec!:$autoscaling.v2.HorizontalPodAutoscalerSpec status:$autoscaling.v2.HorizontalPodAutoscalerStatus
autoscaling.v2.HorizontalPodAutoscalerBehavior scaleDown:autoscaling.v2.HPAScalingRules scaleUp:autoscaling.v2.HPAScalingRules
autoscaling.v2.HorizontalPodAutoscalerCondition lastTransitionTime:t message reason status! type!
autoscaling.v2.HorizontalPodAutoscalerSpec behavior:autoscaling.v2.HorizontalPodAutoscalerBehavior maxReplicas!:i metrics:[]autoscaling.v2.MetricSpec minReplicas:i scaleTargetRef!:$autoscaling.v2.CrossVersionObjectReference
autoscaling.v2.HorizontalPodAutoscalerStatus conditions:[type|type]autoscaling.v2.HorizontalPodAutoscalerCondition currentMetrics:[]autoscaling.v2.MetricStatus currentReplicas:i desiredReplicas!:i lastScaleTime:t observedGeneration:I
autoscaling.v2.MetricIdentifier name! selector:meta.v1.LabelSelector
autoscaling.v2.MetricSpec containerResource:autoscaling.v2.ContainerResourceMetricSource external:autoscaling.v2.ExternalMetricSource object:autoscaling.v2.ObjectMetricSource pods:autoscaling.v2.PodsMetricSource resource:autoscaling.v2.ResourceMetricSource type!
autoscaling.v2.MetricStatus containerResource:autoscaling.v2.ContainerResourceMetricStatus external:autoscaling.v2.ExternalMetricStatus object:autoscaling.v2.ObjectMetricStatus pods:autoscaling.v2.PodsMetricStatus resource:autoscaling.v2.ResourceMetricStatus type!
autoscaling.v2.MetricTarget averageUtilization:i averageValue:q type! value:q
autoscaling.v2.MetricValueStatus averageUtilization:i averageValue:q value:q
autoscaling.v2.ObjectMetricSource describedObject!:$autoscaling.v2.CrossVersionObjectReference metric!:$autoscaling.v2.MetricIdentifier target!:$autoscaling.v2.MetricTarget
autoscaling.v2.ObjectMetricStatus current!:$autoscaling.v2.MetricValueStatus describedObject!:$autoscaling.v2.CrossVersionObjectReference metric!:$autoscaling.v2.MetricIdentifier
autoscaling.v2.PodsMetricSource metric!:$autoscaling.v2.MetricIdentifier target!:$autoscaling.v2.MetricTarget
autoscaling.v2.PodsMetricStatus current!:$autoscaling.v2.MetricValueStatus metric!:$autoscaling.v2.MetricIdentifier
autoscaling.v2.ResourceMetricSource name! target!:$autoscaling.v2.MetricTarget
autoscaling.v2.ResourceMetricStatus current!:$autoscaling.v2.MetricValueStatus name!
batch.v1.CronJob apiVersion kind metadata:$meta.v1.ObjectMeta spec!:$batch.v1.CronJobSpec status:$batch.v1.CronJobStatus
batch.v1.CronJobSpec concurrencyPolicy failedJobsHistoryLimit:i jobTemplate!:$batch.v1.JobTemplateSpec schedule! startingDeadlineSeconds:I successfulJobsHistoryLimit:i suspend:b timeZone
batch.v1.CronJobStatus active:[]core.v1.ObjectReference lastScheduleTime:t lastSuccessfulTime:t
batch.v1.Job apiVersion kind metadata:$meta.v1.ObjectMeta spec:$batch.v1.JobSpec status:$batch.v1.JobStatus
batch.v1.JobCondition lastProbeTime:t lastTransitionTime:t message reason status! type!
batch.v1.JobSpec activeDeadlineSeconds:I backoffLimit:i backoffLimitPerIndex:i completionMode completions:i managedBy manualSelector:b maxFailedIndexes:i parallelism:i podFailurePolicy:batch.v1.PodFailurePolicy podReplacementPolicy selector:meta.v1.LabelSelector successPolicy:batch.v1.SuccessPolicy suspend:b template!:$core.v1.PodTemplateSpec ttlSecondsAfterFinished:i
batch.v1.JobStatus active:i completedIndexes completionTime:t conditions:[|type]batch.v1.JobCondition failed:i failedIndexes ready:i startTime:t succeeded:i terminating:i uncountedTerminatedPods:batch.v1.UncountedTerminatedPods
batch.v1.JobTemplateSpec metadata:$meta.v1.ObjectMeta spec:$batch.v1.JobSpec
batch.v1.PodFailurePolicy rules!:[]batch.v1.PodFailurePolicyRule
batch.v1.PodFailurePolicyOnExitCodesRequirement containerName operator! values!:[=]i
batch.v1.PodFailurePolicyOnPodConditionsPattern status type!
batch.v1.PodFailurePolicyRule action! onExitCodes:batch.v1.PodFailurePolicyOnExitCodesRequirement onPodConditions:[]batch.v1.PodFailurePolicyOnPodConditionsPattern
batch.v1.SuccessPolicy rules!:[]batch.v1.SuccessPolicyRule
batch.v1.SuccessPolicyRule succeededCount:i succeededIndexes
batch.v1.UncountedTerminatedPods failed:[=]s succeeded:[=]s
certificates.v1.CertificateSigningRequest apiVersion kind metadata:$meta.v1.ObjectMeta spec!:$certificates.v1.CertificateSigningRequestSpec status:$certificates.v1.CertificateSigningRequestStatus
certificates.v1.CertificateSigningRequestCondition lastTransitionTime:t lastUpdateTime:t message reason status! type!
certificates.v1.CertificateSigningRequestSpec expirationSeconds:i extra:{}[]s groups:[]s request!:y signerName! uid usages:[]s username
certificates.v1.CertificateSigningRequestStatus certificate:y conditions:[type]certificates.v1.CertificateSigningRequestCondition
coordination.v1.Lease apiVersion kind metadata:$meta.v1.ObjectMeta spec:$coordination.v1.LeaseSpec
coordination.v1.LeaseSpec acquireTime:u holderIdentity leaseDurationSeconds:i leaseTransitions:i preferredHolder renewTime:u strategy
discovery.v1.Endpoint addresses!:[=]s conditions:$discovery.v1.EndpointConditions deprecatedTopology:{}s hints:discovery.v1.EndpointHints hostname nodeName targetRef:core.v1.ObjectReference zone
discovery.v1.EndpointConditions ready:b serving:b terminating:b
discovery.v1.EndpointHints forNodes:[]discovery.v1.ForNode forZones:[]discovery.v1.ForZone
discovery.v1.EndpointPort! appProtocol name port:i protocol
discovery.v1.EndpointSlice addressType! apiVersion endpoints:[]discovery.v1.Endpoint kind metadata:$meta.v1.ObjectMeta ports:[]discovery.v1.EndpointPort
discovery.v1.ForNode name!
discovery.v1.ForZone name!
events.v1.Event action apiVersion deprecatedCount:i deprecatedFirstTimestamp:t deprecatedLastTimestamp:t deprecatedSource:$core.v1.EventSource eventTime!:u kind metadata:$meta.v1.ObjectMeta note reason regarding:$core.v1.ObjectReference related:core.v1.ObjectReference reportingController reportingInstance series:events.v1.EventSeries type
events.v1.EventSeries count!:i lastObservedTime!:u
flowcontrol.v1.ExemptPriorityLevelConfiguration lendablePercent:i nominalConcurrencyShares:i
flowcontrol.v1.FlowDistinguisherMethod type!
flowcontrol.v1.FlowSchema apiVersion kind metadata:$meta.v1.ObjectMeta spec:$flowcontrol.v1.FlowSchemaSpec status:$flowcontrol.v1.FlowSchemaStatus
flowcontrol.v1.FlowSchemaCondition lastTransitionTime:t message reason status type
flowcontrol.v1.FlowSchemaSpec distinguisherMethod:flowcontrol.v1.FlowDistinguisherMethod matchingPrecedence:i priorityLevelConfiguration!:$flowcontrol.v1.PriorityLevelConfigurationReference rules:[]flowcontrol.v1.PolicyRulesWithSubjects
flowcontrol.v1.FlowSchemaStatus conditions:[type|type]flowcontrol.v1.FlowSchemaCondition
flowcontrol.v1.GroupSubject name!
flowcontrol.v1.LimitResponse queuing:flowcontrol.v1.QueuingConfiguration type!
flowcontrol.v1.LimitedPriorityLevelConfiguration borrowingLimitPercent:i lendablePercent:i limitResponse:$flowcontrol.v1.LimitResponse nominalConcurrencyShares:i
flowcontrol.v1.NonResourcePolicyRule nonResourceURLs!:[=]s verbs!:[=]s
flowcontrol.v1.PolicyRulesWithSubjects nonResourceRules:[]flowcontrol.v1.NonResourcePolicyRule resourceRules:[]flowcontrol.v1.ResourcePolicyRule subjects!:[]flowcontrol.v1.Subject
flowcontrol.v1.PriorityLevelConfiguration apiVersion kind metadata:$meta.v1.ObjectMeta spec:$flowcontrol.v1.PriorityLevelConfigurationSpec status:$flowcontrol.v1.PriorityLevelConfigurationStatus
flowcontrol.v1.PriorityLevelConfigurationCondition lastTransitionTime:t message reason status type
flowcontrol.v1.PriorityLevelConfigurationReference name!
flowcontrol.v1.PriorityLevelConfigurationSpec exempt:flowcontrol.v1.ExemptPriorityLevelConfiguration limited:flowcontrol.v1.LimitedPriorityLevelConfiguration type!
flowcontrol.v1.PriorityLevelConfigurationStatus conditions:[type|type]flowcontrol.v1.PriorityLevelConfigurationCondition
flowcontrol.v1.QueuingConfiguration handSize:i queueLengthLimit:i queues:i
flowcontrol.v1.ResourcePolicyRule apiGroups!:[=]s clusterScope:b namespaces:[=]s resources!:[=]s verbs!:[=]s
flowcontrol.v1.ServiceAccountSubject name! namespace!
flowcontrol.v1.Subject group:flowcontrol.v1.GroupSubject kind! serviceAccount:flowcontrol.v1.ServiceAccountSubject user:flowcontrol.v1.UserSubject
flowcontrol.v1.UserSubject name!
networking.v1.HTTPIngressPath backend!:$networking.v1.IngressBackend path pathType!
networking.v1.HTTPIngressRuleValue paths!:[]networking.v1.HTTPIngressPath
networking.v1.IPAddress apiVersion kind metadata:$meta.v1.ObjectMeta spec!:$networking.v1.IPAddressSpec
networking.v1.IPAddressSpec parentRef!:networking.v1.ParentReference
networking.v1.IPBlock cidr! except:[]s
networking.v1.Ingress apiVersion kind metadata:$meta.v1.ObjectMeta spec:$networking.v1.IngressSpec status:$networking.v1.IngressStatus
networking.v1.IngressBackend resource:core.v1.TypedLocalObjectReference service:networking.v1.IngressServiceBackend
networking.v1.IngressClass apiVersion kind metadata:$meta.v1.ObjectMeta spec:$networking.v1.IngressClassSpec
networking.v1.IngressClassParametersReference apiGroup kind! name! namespace scope
networking.v1.IngressClassSpec controller parameters:networking.v1.IngressClassParametersReference
networking.v1.IngressLoadBalancerIngress hostname ip ports:[]networking.v1.IngressPortStatus
networking.v1.IngressLoadBalancerStatus ingress:[]networking.v1.IngressLoadBalancerIngress
networking.v1.IngressPortStatus error port!:i protocol!
networking.v1.IngressRule host http:networking.v1.HTTPIngressRuleValue
networking.v1.IngressServiceBackend name! port:$networking.v1.ServiceBackendPort
networking.v1.IngressSpec defaultBackend:networking.v1.IngressBackend ingressClassName rules:[]networking.v1.IngressRule tls:[]networking.v1.IngressTLS
networking.v1.IngressStatus loadBalancer:$networking.v1.IngressLoadBalancerStatus
networking.v1.IngressTLS hosts:[]s secretName
networking.v1.NetworkPolicy apiVersion kind metadata:$meta.v1.ObjectMeta spec:$networking.v1.NetworkPolicySpec
networking.v1.NetworkPolicyEgressRule ports:[]networking.v1.NetworkPolicyPort to:[]networking.v1.NetworkPolicyPeer
networking.v1.NetworkPolicyIngressRule from:[]networking.v1.NetworkPolicyPeer ports:[]networking.v1.NetworkPolicyPort
networking.v1.NetworkPolicyPeer ipBlock:networking.v1.IPBlock namespaceSelector:meta.v1.LabelSelector podSelector:meta.v1.LabelSelector
networking.v1.NetworkPolicyPort endPort:i port:# protocol
networking.v1.NetworkPolicySpec egress:[]networking.v1.NetworkPolicyEgressRule ingress:[]networking.v1.NetworkPolicyIngressRule podSelector:$meta.v1.LabelSelector policyTypes:[]s
networking.v1.ParentReference group name! namespace resource!
networking.v1.ServiceBackendPort! name number:i
networking.v1.ServiceCIDR apiVersion kind metadata:$meta.v1.ObjectMeta spec:$networking.v1.ServiceCIDRSpec status:$networking.v1.ServiceCIDRStatus
networking.v1.ServiceCIDRSpec cidrs:[]s
networking.v1.ServiceCIDRStatus conditions:[type|type]meta.v1.Condition
node.v1.Overhead podFixed:{}q
node.v1.RuntimeClass apiVersion handler! kind metadata:$meta.v1.ObjectMeta overhead:node.v1.Overhead scheduling:node.v1.Scheduling
node.v1.Scheduling nodeSelector:{!}s tolerations:[]core.v1.Toleration
policy.v1.Eviction apiVersion deleteOptions:meta.v1.DeleteOptions kind metadata:$meta.v1.ObjectMeta
policy.v1.PodDisruptionBudget apiVersion kind metadata:$meta.v1.ObjectMeta spec:$policy.v1.PodDisruptionBudgetSpec status:$policy.v1.PodDisruptionBudgetStatus
policy.v1.PodDisruptionBudgetSpec maxUnavailable:# minAvailable:# selector:meta.v1.LabelSelector unhealthyPodEvictionPolicy
policy.v1.PodDisruptionBudgetStatus conditions:[type|type]meta.v1.Condition currentHealthy:i desiredHealthy:i disruptedPods:{}t disruptionsAllowed:i expectedPods:i observedGeneration:I
rbac.v1.AggregationRule clusterRoleSelectors:[]meta.v1.LabelSelector
rbac.v1.ClusterRole aggregationRule:rbac.v1.AggregationRule apiVersion kind metadata:$meta.v1.ObjectMeta rules:[]rbac.v1.PolicyRule
rbac.v1.ClusterRoleBinding apiVersion kind metadata:$meta.v1.ObjectMeta roleRef!:$rbac.v1.RoleRef subjects:[]rbac.v1.Subject
rbac.v1.PolicyRule apiGroups:[]s nonResourceURLs:[]s resourceNames:[]s resources:[]s verbs!:[]s
rbac.v1.Role apiVersion kind metadata:$meta.v1.ObjectMeta rules:[]rbac.v1.PolicyRule
rbac.v1.RoleBinding apiVersion kind metadata:$meta.v1.ObjectMeta roleRef!:$rbac.v1.RoleRef subjects:[]rbac.v1.Subject
rbac.v1.RoleRef! apiGroup kind! name!
rbac.v1.Subject! apiGroup kind! name! namespace
resource.v1.AllocatedDeviceStatus conditions:[type]meta.v1.Condition data:? device! driver! networkData:resource.v1.NetworkDeviceData pool! shareID
resource.v1.AllocationResult allocationTimestamp:t devices:$resource.v1.DeviceAllocationResult nodeSelector:core.v1.NodeSelector
resource.v1.CELDeviceSelector expression!
resource.v1.CapacityRequestPolicy default:q validRange:resource.v1.CapacityRequestPolicyRange validValues:[]q
resource.v1.CapacityRequestPolicyRange max:q min!:q step:q
resource.v1.CapacityRequirements requests:{}q
resource.v1.Counter value!:q
resource.v1.CounterSet counters!:{}resource.v1.Counter name!
resource.v1.Device allNodes:b allowMultipleAllocations:b attributes:{}resource.v1.DeviceAttribute bindingConditions:[]s bindingFailureConditions:[]s bindsToNode:b capacity:{}resource.v1.DeviceCapacity consumesCounters:[]resource.v1.DeviceCounterConsumption name! nodeAllocatableResourceMappings:{}resource.v1.NodeAllocatableResourceMapping nodeName nodeSelector:core.v1.NodeSelector taints:[]resource.v1.DeviceTaint
resource.v1.DeviceAllocationConfiguration opaque:resource.v1.OpaqueDeviceConfiguration requests:[]s source!
resource.v1.DeviceAllocationResult config:[]resource.v1.DeviceAllocationConfiguration results:[]resource.v1.DeviceRequestAllocationResult
resource.v1.DeviceAttribute bool:b bools:[]b int:I ints:[]I string strings:[]s version versions:[]s
resource.v1.DeviceCapacity requestPolicy:resource.v1.CapacityRequestPolicy value!:q
resource.v1.DeviceClaim config:[]resource.v1.DeviceClaimConfiguration constraints:[]resource.v1.DeviceConstraint requests:[]resource.v1.DeviceRequest
resource.v1.DeviceClaimConfiguration opaque:resource.v1.OpaqueDeviceConfiguration requests:[]s
resource.v1.DeviceClass apiVersion kind metadata:$meta.v1.ObjectMeta spec!:$resource.v1.DeviceClassSpec
resource.v1.DeviceClassConfiguration opaque:resource.v1.OpaqueDeviceConfiguration
resource.v1.DeviceClassSpec config:[]resource.v1.DeviceClassConfiguration extendedResourceName selectors:[]resource.v1.DeviceSelector
resource.v1.DeviceConstraint distinctAttribute matchAttribute requests:[]s
resource.v1.DeviceCounterConsumption counterSet! counters!:{}resource.v1.Counter
resource.v1.DeviceRequest exactly:resource.v1.ExactDeviceRequest firstAvailable:[]resource.v1.DeviceSubRequest name!
resource.v1.DeviceRequestAllocationResult adminAccess:b bindingConditions:[]s bindingFailureConditions:[]s consumedCapacity:{}q device! driver! pool! request! shareID tolerations:[]resource.v1.DeviceToleration
resource.v1.DeviceSelector cel:resource.v1.CELDeviceSelector
resource.v1.DeviceSubRequest allocationMode capacity:resource.v1.CapacityRequirements count:I deviceClassName! name! selectors:[]resource.v1.DeviceSelector tolerations:[]resource.v1.DeviceToleration
resource.v1.DeviceTaint effect! key! timeAdded:t value
resource.v1.DeviceToleration effect key operator tolerationSeconds:I value
resource.v1.ExactDeviceRequest adminAccess:b allocationMode capacity:resource.v1.CapacityRequirements count:I deviceClassName! selectors:[]resource.v1.DeviceSelector tolerations:[]resource.v1.DeviceToleration
resource.v1.NetworkDeviceData hardwareAddress interfaceName ips:[]s
resource.v1.NodeAllocatableResourceMapping allocationMultiplier:q capacityKey
resource.v1.OpaqueDeviceConfiguration driver! parameters!:?
resource.v1.ResourceClaim apiVersion kind metadata:$meta.v1.ObjectMeta spec!:$resource.v1.ResourceClaimSpec status:$resource.v1.ResourceClaimStatus
resource.v1.ResourceClaimConsumerReference apiGroup name! resource! uid!
resource.v1.ResourceClaimSpec devices:$resource.v1.DeviceClaim
resource.v1.ResourceClaimStatus allocation:resource.v1.AllocationResult devices:[driver,device,pool,shareID]resource.v1.AllocatedDeviceStatus reservedFor:[uid|uid]resource.v1.ResourceClaimConsumerReference
resource.v1.ResourceClaimTemplate apiVersion kind metadata:$meta.v1.ObjectMeta spec!:$resource.v1.ResourceClaimTemplateSpec
resource.v1.ResourceClaimTemplateSpec metadata:$meta.v1.ObjectMeta spec!:$resource.v1.ResourceClaimSpec
resource.v1.ResourcePool generation!:I name! resourceSliceCount!:I
resource.v1.ResourceSlice apiVersion kind metadata:$meta.v1.ObjectMeta spec!:$resource.v1.ResourceSliceSpec
resource.v1.ResourceSliceSpec allNodes:b devices:[]resource.v1.Device driver! nodeName nodeSelector:core.v1.NodeSelector perDeviceNodeSelection:b pool!:$resource.v1.ResourcePool sharedCounters:[]resource.v1.CounterSet
scheduling.v1.PriorityClass apiVersion description globalDefault:b kind metadata:$meta.v1.ObjectMeta preemptionPolicy value:i
storage.v1.CSIDriver apiVersion kind metadata:$meta.v1.ObjectMeta spec!:$storage.v1.CSIDriverSpec
storage.v1.CSIDriverSpec attachRequired:b fsGroupPolicy nodeAllocatableUpdatePeriodSeconds:I podInfoOnMount:b preventPodSchedulingIfMissing:b requiresRepublish:b seLinuxMount:b serviceAccountTokenInSecrets:b storageCapacity:b tokenRequests:[]storage.v1.TokenRequest volumeLifecycleModes:[=]s
storage.v1.CSINode apiVersion kind metadata:$meta.v1.ObjectMeta spec!:$storage.v1.CSINodeSpec
storage.v1.CSINodeDriver allocatable:storage.v1.VolumeNodeResources name! nodeID! topologyKeys:[]s
storage.v1.CSINodeSpec drivers!:[name|name]storage.v1.CSINodeDriver
storage.v1.CSIStorageCapacity apiVersion capacity:q kind maximumVolumeSize:q metadata:$meta.v1.ObjectMeta nodeTopology:meta.v1.LabelSelector storageClassName!
storage.v1.StorageClass allowVolumeExpansion:b allowedTopologies:[]core.v1.TopologySelectorTerm apiVersion kind metadata:$meta.v1.ObjectMeta mountOptions:[]s parameters:{}s provisioner! reclaimPolicy volumeBindingMode
storage.v1.TokenRequest audience! expirationSeconds:I
storage.v1.VolumeAttachment apiVersion kind metadata:$meta.v1.ObjectMeta spec!:$storage.v1.VolumeAttachmentSpec status:$storage.v1.VolumeAttachmentStatus
storage.v1.VolumeAttachmentSource inlineVolumeSpec:core.v1.PersistentVolumeSpec persistentVolumeName
storage.v1.VolumeAttachmentSpec attacher! nodeName! source!:$storage.v1.VolumeAttachmentSource
storage.v1.VolumeAttachmentStatus attachError:storage.v1.VolumeError attached!:b attachmentMetadata:{}s detachError:storage.v1.VolumeError
storage.v1.VolumeAttributesClass apiVersion driverName! kind metadata:$meta.v1.ObjectMeta parameters:{}s
storage.v1.VolumeError errorCode:i message time:t
storage.v1.VolumeNodeResources count:i
`;

import { autoscalerV1 } from "./autoscaler-versions.ts";
import { ALL_VERBS, type Resource } from "./resource.ts";

interface More {
  short?: string[];
  categories?: string[];
  sub?: string[];
  verbs?: string[];
  singular?: string;
}

const IN_NAMESPACES = true;
const IN_CLUSTER = false;

function of(groupVersion: string) {
  const slash = groupVersion.indexOf("/");
  const [group, version] = slash < 0 ? ["", groupVersion] : [groupVersion.slice(0, slash), groupVersion.slice(slash + 1)];
  return (resource: string, kind: string, namespaced: boolean, more: More = {}): Resource => ({
    group,
    version,
    resource,
    singular: more.singular ?? kind.toLowerCase(),
    kind,
    namespaced,
    shortNames: more.short ?? [],
    categories: more.categories ?? [],
    subresources: more.sub ?? [],
    verbs: more.verbs ?? ALL_VERBS,
  });
}

const core = of("v1");
const apps = of("apps/v1");
const batch = of("batch/v1");
const autoscaling = of("autoscaling/v2");
const rbac = of("rbac.authorization.k8s.io/v1");
const storage = of("storage.k8s.io/v1");
const coordination = of("coordination.k8s.io/v1");
const networking = of("networking.k8s.io/v1");
const policy = of("policy/v1");
const scheduling = of("scheduling.k8s.io/v1");
const node = of("node.k8s.io/v1");
const discovery = of("discovery.k8s.io/v1");
const admission = of("admissionregistration.k8s.io/v1");
const extensions = of("apiextensions.k8s.io/v1");
const registration = of("apiregistration.k8s.io/v1");
const certificates = of("certificates.k8s.io/v1");
const authorization = of("authorization.k8s.io/v1");
const authentication = of("authentication.k8s.io/v1");
const flowControl = of("flowcontrol.apiserver.k8s.io/v1");
const devices = of("resource.k8s.io/v1");

const all = ["all"];
const CONNECTED = ["attach", "exec", "portforward"];
const status = ["status"];
const scaled = ["status", "scale"];
const reviewed = { verbs: ["create"] };

/** Every built-in resource; CRDs add to them. */
export const BUILTIN: readonly Resource[] = [
  core("namespaces", "Namespace", IN_CLUSTER, { short: ["ns"], sub: ["status", "finalize"] }),
  core("nodes", "Node", IN_CLUSTER, { short: ["no"], sub: status }),
  core("pods", "Pod", IN_NAMESPACES, {
    short: ["po"],
    categories: all,
    sub: ["status", "log", "eviction", "binding", "ephemeralcontainers", "proxy", ...CONNECTED],
  }),
  core("services", "Service", IN_NAMESPACES, { short: ["svc"], categories: all, sub: ["status", "proxy"] }),
  core("endpoints", "Endpoints", IN_NAMESPACES, { short: ["ep"] }),
  core("configmaps", "ConfigMap", IN_NAMESPACES, { short: ["cm"] }),
  core("secrets", "Secret", IN_NAMESPACES),
  core("serviceaccounts", "ServiceAccount", IN_NAMESPACES, { short: ["sa"], sub: ["token"] }),
  core("events", "Event", IN_NAMESPACES, { short: ["ev"] }),
  core("persistentvolumeclaims", "PersistentVolumeClaim", IN_NAMESPACES, { short: ["pvc"], sub: status }),
  core("persistentvolumes", "PersistentVolume", IN_CLUSTER, { short: ["pv"], sub: status }),
  core("replicationcontrollers", "ReplicationController", IN_NAMESPACES, { short: ["rc"], categories: all, sub: scaled }),
  core("resourcequotas", "ResourceQuota", IN_NAMESPACES, { short: ["quota"], sub: status }),
  core("limitranges", "LimitRange", IN_NAMESPACES, { short: ["limits"] }),
  core("podtemplates", "PodTemplate", IN_NAMESPACES),
  apps("deployments", "Deployment", IN_NAMESPACES, { short: ["deploy"], categories: all, sub: scaled }),
  apps("daemonsets", "DaemonSet", IN_NAMESPACES, { short: ["ds"], categories: all, sub: status }),
  apps("replicasets", "ReplicaSet", IN_NAMESPACES, { short: ["rs"], categories: all, sub: scaled }),
  apps("statefulsets", "StatefulSet", IN_NAMESPACES, { short: ["sts"], categories: all, sub: scaled }),
  apps("controllerrevisions", "ControllerRevision", IN_NAMESPACES),
  batch("jobs", "Job", IN_NAMESPACES, { categories: all, sub: status }),
  batch("cronjobs", "CronJob", IN_NAMESPACES, { short: ["cj"], categories: all, sub: status }),
  autoscaling("horizontalpodautoscalers", "HorizontalPodAutoscaler", IN_NAMESPACES, {
    short: ["hpa"],
    categories: all,
    sub: status,
  }),
  // After the storage version.
  {
    ...of("autoscaling/v1")("horizontalpodautoscalers", "HorizontalPodAutoscaler", IN_NAMESPACES, {
      short: ["hpa"],
      categories: all,
      sub: status,
    }),
    converter: autoscalerV1,
  },
  rbac("roles", "Role", IN_NAMESPACES),
  rbac("rolebindings", "RoleBinding", IN_NAMESPACES),
  rbac("clusterroles", "ClusterRole", IN_CLUSTER),
  rbac("clusterrolebindings", "ClusterRoleBinding", IN_CLUSTER),
  storage("storageclasses", "StorageClass", IN_CLUSTER, { short: ["sc"] }),
  storage("csidrivers", "CSIDriver", IN_CLUSTER),
  storage("csinodes", "CSINode", IN_CLUSTER),
  storage("volumeattachments", "VolumeAttachment", IN_CLUSTER, { sub: status }),
  storage("csistoragecapacities", "CSIStorageCapacity", IN_NAMESPACES),
  storage("volumeattributesclasses", "VolumeAttributesClass", IN_CLUSTER, { short: ["vac"] }),
  coordination("leases", "Lease", IN_NAMESPACES),
  networking("ingresses", "Ingress", IN_NAMESPACES, { short: ["ing"], sub: status }),
  networking("ingressclasses", "IngressClass", IN_CLUSTER),
  networking("networkpolicies", "NetworkPolicy", IN_NAMESPACES, { short: ["netpol"] }),
  networking("ipaddresses", "IPAddress", IN_CLUSTER, { short: ["ip"] }),
  networking("servicecidrs", "ServiceCIDR", IN_CLUSTER, { sub: status }),
  policy("poddisruptionbudgets", "PodDisruptionBudget", IN_NAMESPACES, { short: ["pdb"], sub: status }),
  scheduling("priorityclasses", "PriorityClass", IN_CLUSTER, { short: ["pc"] }),
  node("runtimeclasses", "RuntimeClass", IN_CLUSTER),
  discovery("endpointslices", "EndpointSlice", IN_NAMESPACES),
  admission("mutatingwebhookconfigurations", "MutatingWebhookConfiguration", IN_CLUSTER, { categories: ["api-extensions"] }),
  admission("validatingwebhookconfigurations", "ValidatingWebhookConfiguration", IN_CLUSTER, { categories: ["api-extensions"] }),
  admission("validatingadmissionpolicies", "ValidatingAdmissionPolicy", IN_CLUSTER, {
    categories: ["api-extensions"],
    sub: status,
  }),
  admission("validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding", IN_CLUSTER, {
    categories: ["api-extensions"],
  }),
  flowControl("flowschemas", "FlowSchema", IN_CLUSTER, { sub: status }),
  flowControl("prioritylevelconfigurations", "PriorityLevelConfiguration", IN_CLUSTER, { sub: status }),
  devices("deviceclasses", "DeviceClass", IN_CLUSTER),
  devices("resourceclaims", "ResourceClaim", IN_NAMESPACES, { sub: status }),
  devices("resourceclaimtemplates", "ResourceClaimTemplate", IN_NAMESPACES),
  devices("resourceslices", "ResourceSlice", IN_CLUSTER),
  extensions("customresourcedefinitions", "CustomResourceDefinition", IN_CLUSTER, {
    short: ["crd", "crds"],
    categories: ["api-extensions"],
    sub: status,
  }),
  registration("apiservices", "APIService", IN_CLUSTER, { categories: ["api-extensions"], sub: status }),
  certificates("certificatesigningrequests", "CertificateSigningRequest", IN_CLUSTER, {
    short: ["csr"],
    sub: ["status", "approval"],
  }),
  authorization("selfsubjectaccessreviews", "SelfSubjectAccessReview", IN_CLUSTER, reviewed),
  authorization("selfsubjectrulesreviews", "SelfSubjectRulesReview", IN_CLUSTER, reviewed),
  authorization("subjectaccessreviews", "SubjectAccessReview", IN_CLUSTER, reviewed),
  authorization("localsubjectaccessreviews", "LocalSubjectAccessReview", IN_NAMESPACES, reviewed),
  authentication("selfsubjectreviews", "SelfSubjectReview", IN_CLUSTER, reviewed),
  authentication("tokenreviews", "TokenReview", IN_CLUSTER, reviewed),
];

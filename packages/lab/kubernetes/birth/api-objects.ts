import type { SimulatedCluster } from "../cluster.ts";
import { serviceAddress } from "../defaults/services.ts";
import type { Manifest } from "../objects.ts";

const RBAC = "rbac.authorization.k8s.io/v1";
const ALL = ["*"];
const READ = ["get", "list", "watch"];
const WRITE = ["create", "delete", "deletecollection", "patch", "update"];

const role = (name: string, rules: object[]): Manifest => ({
  apiVersion: RBAC,
  kind: "ClusterRole",
  metadata: {
    name,
    labels: { "kubernetes.io/bootstrapping": "rbac-defaults" },
    annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
  },
  rules,
});

/** A role that aggregates all roles with its label. */
const aggregate = (name: string, rules: object[], into: string[]): Manifest[] => [
  {
    ...role(name, []),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [`rbac.authorization.k8s.io/aggregate-to-${name}`]: "true" } }] },
  },
  {
    ...role(`system:aggregate-to-${name}`, rules),
    metadata: {
      name: `system:aggregate-to-${name}`,
      labels: {
        "kubernetes.io/bootstrapping": "rbac-defaults",
        ...Object.fromEntries(into.map((target) => [`rbac.authorization.k8s.io/aggregate-to-${target}`, "true"])),
      },
      annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
    },
  },
];

const binding = (name: string, groups: string[]): Manifest => ({
  apiVersion: RBAC,
  kind: "ClusterRoleBinding",
  metadata: { name, labels: { "kubernetes.io/bootstrapping": "rbac-defaults" } },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
  subjects: groups.map((group) => ({ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: group })),
});

const NAMESPACED = [
  {
    apiGroups: [""],
    resources: ["configmaps", "endpoints", "persistentvolumeclaims", "pods", "pods/log", "services", "serviceaccounts", "events"],
  },
  { apiGroups: ["apps"], resources: ["daemonsets", "deployments", "deployments/scale", "replicasets", "statefulsets"] },
  { apiGroups: ["autoscaling"], resources: ["horizontalpodautoscalers"] },
  { apiGroups: ["batch"], resources: ["cronjobs", "jobs"] },
  { apiGroups: ["networking.k8s.io"], resources: ["ingresses", "networkpolicies"] },
  { apiGroups: ["policy"], resources: ["poddisruptionbudgets"] },
];
/** Resources that the view role excludes. */
const SENSITIVE = {
  apiGroups: [""],
  resources: ["pods/attach", "pods/exec", "pods/portforward", "pods/proxy", "secrets", "services/proxy"],
};
const ACT_AS_ACCOUNT = { apiGroups: [""], resources: ["serviceaccounts"], verbs: ["impersonate"] };
const every = (verbs: string[]) => (rule: object) => ({ ...rule, verbs });

const DISCOVERY = [
  "/api",
  "/api/*",
  "/apis",
  "/apis/*",
  "/healthz",
  "/livez",
  "/openapi",
  "/openapi/*",
  "/readyz",
  "/version",
  "/version/",
];

/** The objects that an API server creates in an empty etcd. */
export function apiObjects(cluster: SimulatedCluster): Manifest[] {
  return [
    ...["default", "kube-system", "kube-public", "kube-node-lease"].map(
      (name): Manifest => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }),
    ),
    role("cluster-admin", [
      { apiGroups: ALL, resources: ALL, verbs: ALL },
      { nonResourceURLs: ALL, verbs: ALL },
    ]),
    ...aggregate(
      "admin",
      [{ apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles", "rolebindings"], verbs: [...READ, ...WRITE] }],
      ["admin"],
    ),
    ...aggregate("edit", [...[...NAMESPACED, SENSITIVE].map(every([...READ, ...WRITE])), ACT_AS_ACCOUNT], ["edit", "admin"]),
    ...aggregate("view", [...NAMESPACED, { apiGroups: [""], resources: ["namespaces"] }].map(every(READ)), [
      "view",
      "edit",
      "admin",
    ]),
    role("system:discovery", [{ nonResourceURLs: DISCOVERY, verbs: ["get"] }]),
    role("system:public-info-viewer", [
      { nonResourceURLs: ["/healthz", "/livez", "/readyz", "/version", "/version/"], verbs: ["get"] },
    ]),
    role("system:basic-user", [
      {
        apiGroups: ["authorization.k8s.io"],
        resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
        verbs: ["create"],
      },
      { apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"], verbs: ["create"] },
    ]),
    role("system:coredns", [
      {
        apiGroups: ["", "discovery.k8s.io"],
        resources: ["endpoints", "services", "pods", "namespaces", "endpointslices"],
        verbs: READ,
      },
    ]),
    binding("cluster-admin", ["system:masters"]),
    binding("system:discovery", ["system:authenticated"]),
    binding("system:public-info-viewer", ["system:authenticated", "system:unauthenticated"]),
    binding("system:basic-user", ["system:authenticated"]),
    ...[
      { name: "system-cluster-critical", value: 2_000_000_000 },
      { name: "system-node-critical", value: 2_000_001_000 },
    ].map(
      ({ name, value }): Manifest => ({
        apiVersion: "scheduling.k8s.io/v1",
        kind: "PriorityClass",
        metadata: { name },
        value,
        preemptionPolicy: "PreemptLowerPriority",
      }),
    ),
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "kubernetes", namespace: "default", labels: { component: "apiserver", provider: "kubernetes" } },
      spec: {
        clusterIP: serviceAddress(cluster.settings.serviceSubnets, 1),
        ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: 6443 }],
      },
    },
  ];
}

import type { Json } from "@talosmith/lib/json.ts";
import type { Manifest } from "./addon.ts";

const NAME = "kubelet-serving-cert-approver";
const IMAGE = "ghcr.io/alex1989hu/kubelet-serving-cert-approver:0.11.0";

const labels = { "app.kubernetes.io/name": NAME, "app.kubernetes.io/instance": NAME };
const here = { name: NAME, namespace: NAME, labels };
const rbac = "rbac.authorization.k8s.io/v1";
const account = [{ kind: "ServiceAccount", name: NAME, namespace: NAME }];

/** kubelet-serving-cert-approver, which has no chart: the objects of its release 0.11.0 (deploy/standalone-install.yaml), without its metrics. */
export function certificateApprover(): Manifest[] {
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: NAME, labels: { ...labels, ...RESTRICTED } } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: here },
    { apiVersion: rbac, kind: "ClusterRole", metadata: { name: `certificates:${NAME}`, labels }, rules: APPROVES },
    { apiVersion: rbac, kind: "ClusterRole", metadata: { name: `events:${NAME}`, labels }, rules: WRITES_EVENTS },
    {
      apiVersion: rbac,
      kind: "ClusterRoleBinding",
      metadata: { name: NAME, labels },
      roleRef: roleOf("certificates"),
      subjects: account,
    },
    {
      apiVersion: rbac,
      kind: "RoleBinding",
      // Events of objects without a namespace are kept there.
      metadata: { name: `events:${NAME}`, namespace: "default", labels },
      roleRef: roleOf("events"),
      subjects: account,
    },
    deployment(),
  ];
}

const RESTRICTED = Object.fromEntries(
  ["enforce", "audit", "warn"].map((level) => [`pod-security.kubernetes.io/${level}`, "restricted"]),
);

const APPROVES: Json = [
  { apiGroups: ["certificates.k8s.io"], resources: ["certificatesigningrequests"], verbs: ["get", "list", "watch"] },
  { apiGroups: ["certificates.k8s.io"], resources: ["certificatesigningrequests/approval"], verbs: ["update"] },
  { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
  {
    apiGroups: ["certificates.k8s.io"],
    resourceNames: ["kubernetes.io/kubelet-serving"],
    resources: ["signers"],
    verbs: ["approve"],
  },
];
const WRITES_EVENTS: Json = [{ apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] }];

const roleOf = (what: string): Json => ({
  apiGroup: "rbac.authorization.k8s.io",
  kind: "ClusterRole",
  name: `${what}:${NAME}`,
});

function deployment(): Manifest {
  const spec: Json = {
    serviceAccountName: NAME,
    priorityClassName: "system-cluster-critical",
    securityContext: { runAsUser: 65534, runAsGroup: 65534, fsGroup: 65534, seccompProfile: { type: "RuntimeDefault" } },
    containers: [container()],
    tolerations: ["node.cloudprovider.kubernetes.io/uninitialized", "node-role.kubernetes.io/control-plane"].map((key) => ({
      key,
      operator: "Exists",
      effect: "NoSchedule",
    })),
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: here,
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

function container(): Json {
  return {
    name: "cert-approver",
    image: IMAGE,
    args: ["serve"],
    env: [{ name: "NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } }],
    ports: [{ name: "health", containerPort: 8080, protocol: "TCP" }],
    livenessProbe: { httpGet: { path: "/healthz", port: "health" }, initialDelaySeconds: 6 },
    readinessProbe: { httpGet: { path: "/readyz", port: "health" }, initialDelaySeconds: 3 },
    resources: { requests: { cpu: "10m", memory: "16Mi" }, limits: { cpu: "250m", memory: "32Mi" } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      privileged: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
    },
  };
}

import type { LabChart } from "./chart.ts";
import { definitions } from "./definitions.ts";
import { access, clusterAccess, NAMESPACE, namespaced, ownNamespace, RESTRICTED, service, serviceAccount } from "./parts.ts";
import { closedSchema } from "./schema.ts";
import { document, only, raw, type Template, tree } from "./template.ts";

const FULL = '{{ include "cert-manager.fullname" . }}';

/** A release called as the chart is leaves its name alone. */
const NAMES = `{{- define "cert-manager.fullname" -}}
{{- if contains "cert-manager" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-cert-manager{{ end }}
{{- end }}
`;

const GROUPS: readonly (readonly [string, string, readonly string[]])[] = [
  ["cert-manager.io", "Certificate", ["cert", "certs"]],
  ["cert-manager.io", "CertificateRequest", ["cr", "crs"]],
  ["cert-manager.io", "Issuer", []],
  ["cert-manager.io", "ClusterIssuer", []],
  ["acme.cert-manager.io", "Order", []],
  ["acme.cert-manager.io", "Challenge", []],
];

const kept = (keep: boolean) =>
  definitions(
    GROUPS.map(([group, kind, short]) => ({
      group,
      kind,
      scope: kind === "ClusterIssuer" ? "Cluster" : "Namespaced",
      ...(short.length > 0 && { short }),
      ...(keep && { annotations: { "helm.sh/resource-policy": "keep" } }),
    })),
  );

const CRDS = `{{- if or .Values.crds.enabled .Values.installCRDs }}
{{- if .Values.crds.keep }}
${kept(true)}{{- else }}
${kept(false)}{{- end }}
{{- end }}
`;

const labelsOf = (component: string, name = component) => ({
  "app.kubernetes.io/name": name,
  "app.kubernetes.io/instance": "{{ .Release.Name }}",
  "app.kubernetes.io/component": component,
});

/** registry/namespace/name:tag, each of which a value may change. */
const image = (values: string) =>
  `{{ .Values.imageRegistry }}/{{ .Values.imageNamespace }}/{{ ${values}.image.name }}:{{ ${values}.image.tag | default .Chart.AppVersion }}`;

interface Part {
  /** Behind the full name: "-webhook". */
  suffix: string;
  component: string;
  label?: string;
  values: string;
  container: Readonly<Record<string, Template>>;
}

function deployment({ suffix, component, label, values, container }: Part): string {
  const labels = labelsOf(component, label);
  return namespaced("apps/v1", "Deployment", `${FULL}${suffix}`, {
    spec: {
      replicas: raw(`${values}.replicaCount`),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: `${FULL}${suffix}`,
          priorityClassName: only(".Values.global.priorityClassName", "{{ .Values.global.priorityClassName }}"),
          securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
          containers: [
            {
              name: `cert-manager-${component}`,
              image: image(values),
              imagePullPolicy: `{{ ${values}.image.pullPolicy }}`,
              securityContext: RESTRICTED,
              env: [ownNamespace("POD_NAMESPACE")],
              resources: tree(`${values}.resources`),
              ...container,
            },
          ],
          nodeSelector: tree(`${values}.nodeSelector`),
          tolerations: tree(`${values}.tolerations`),
        },
      },
    },
  });
}

const LEADER = "--leader-election-namespace={{ .Values.global.leaderElection.namespace }}";

function webhook(kind: string, path: string): string {
  const names = `rules:
      - apiGroups: [cert-manager.io, acme.cert-manager.io]
        apiVersions: [v1]
        operations: [CREATE, UPDATE]
        resources: ["*/*"]`;
  return `---
apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}
metadata:
  name: {{ include "cert-manager.fullname" . }}-webhook
  annotations:
    cert-manager.io/inject-ca-from-secret: "{{ .Release.Namespace }}/{{ include "cert-manager.fullname" . }}-webhook-ca"
webhooks:
  - name: webhook.cert-manager.io
    ${names}
    admissionReviewVersions: [v1]
    matchPolicy: Equivalent
    timeoutSeconds: {{ .Values.webhook.timeoutSeconds }}
    failurePolicy: Fail
    sideEffects: None
    clientConfig:
      service:
        name: {{ include "cert-manager.fullname" . }}-webhook
        namespace: {{ .Release.Namespace }}
        path: ${path}
`;
}

const HOOK = {
  "helm.sh/hook": "post-install",
  "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
};

/** Waits until the API answers for cert-manager's own kinds, webhook and all. */
const CHECK = `{{- if .Values.startupapicheck.enabled }}
${document({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name: `${FULL}-startupapicheck`, namespace: NAMESPACE, annotations: { ...HOOK, "helm.sh/hook-weight": "-5" } },
})}${access(`${FULL}-startupapicheck:create-cert`, `${FULL}-startupapicheck`, ["cert-manager.io: create certificaterequests"], NAMESPACE, { ...HOOK, "helm.sh/hook-weight": "-5" })}${document(
  {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: `${FULL}-startupapicheck`, namespace: NAMESPACE, annotations: { ...HOOK, "helm.sh/hook-weight": "1" } },
    spec: {
      backoffLimit: raw(".Values.startupapicheck.backoffLimit"),
      template: {
        metadata: { labels: labelsOf("startupapicheck") },
        spec: {
          restartPolicy: "OnFailure",
          serviceAccountName: `${FULL}-startupapicheck`,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
          containers: [
            {
              name: "cert-manager-startupapicheck",
              image: image(".Values.startupapicheck"),
              imagePullPolicy: "{{ .Values.startupapicheck.image.pullPolicy }}",
              args: ["check", "api", "--wait={{ .Values.startupapicheck.timeout }}", "-v"],
              securityContext: RESTRICTED,
              env: [ownNamespace("POD_NAMESPACE")],
            },
          ],
          nodeSelector: tree(".Values.startupapicheck.nodeSelector"),
          tolerations: tree(".Values.startupapicheck.tolerations"),
        },
      },
    },
  },
)}{{- end }}
`;

const LINUX = { "kubernetes.io/os": "linux" };
const imageValues = (name: string) => ({ name, repository: "", pullPolicy: "IfNotPresent" });
const component = (name: string, more: object = {}) => ({
  replicaCount: 1,
  image: imageValues(name),
  resources: {},
  nodeSelector: LINUX,
  tolerations: [],
  extraArgs: [],
  ...more,
});

const VALUES = {
  global: {
    commonLabels: {},
    priorityClassName: "",
    rbac: { create: true, aggregateClusterRoles: true },
    logLevel: 2,
    leaderElection: { namespace: "kube-system" },
  },
  installCRDs: false,
  crds: { enabled: false, keep: true },
  imageRegistry: "quay.io",
  imageNamespace: "jetstack",
  ...component("cert-manager-controller"),
  config: {},
  featureGates: "",
  dns01RecursiveNameservers: "",
  dns01RecursiveNameserversOnly: false,
  enableCertificateOwnerRef: false,
  podLabels: {},
  prometheus: { enabled: true, servicemonitor: { enabled: false }, podmonitor: { enabled: false } },
  webhook: component("cert-manager-webhook", { timeoutSeconds: 30, securePort: 10250, hostNetwork: false }),
  cainjector: component("cert-manager-cainjector", { enabled: true }),
  startupapicheck: {
    ...component("cert-manager-startupapicheck", { enabled: true, timeout: "1m", backoffLimit: 4 }),
    replicaCount: undefined,
  },
};

/** cert-manager/cert-manager, deploy/charts/cert-manager: its schema knows every value by name, and refuses the others. */
export const certManager: LabChart = {
  name: "cert-manager",
  description: "A Helm chart for cert-manager",
  homes: ["oci://quay.io/jetstack/charts", "https://charts.jetstack.io"],
  versions: [{ version: "v1.21.2", app: "v1.21.2" }],
  kubeVersion: ">= 1.22.0-0",
  values: () => VALUES,
  files: () => ({
    "values.schema.json": closedSchema(VALUES, { open: ["config", "nodeSelector", "resources", "commonLabels", "podLabels"] }),
    "templates/_helpers.tpl": NAMES,
    "templates/crds.yaml": CRDS,
    "templates/access.yaml": [
      serviceAccount(FULL),
      serviceAccount(`${FULL}-cainjector`),
      serviceAccount(`${FULL}-webhook`),
      clusterAccess(`${FULL}-controller`, FULL, [
        "cert-manager.io: * *",
        "acme.cert-manager.io: * *",
        "get,list,watch,create,update,delete,patch secrets",
        "create,patch events",
      ]),
      clusterAccess(`${FULL}-cainjector`, `${FULL}-cainjector`, [
        "get,list,watch secrets",
        "admissionregistration.k8s.io: get,list,watch,update,patch validatingwebhookconfigurations,mutatingwebhookconfigurations",
        "apiextensions.k8s.io: get,list,watch,update,patch customresourcedefinitions",
      ]),
      access(`${FULL}:leaderelection`, FULL, ["coordination.k8s.io: get,update,patch,create leases"], "kube-system"),
      access(`${FULL}-webhook:dynamic-serving`, `${FULL}-webhook`, ["get,list,watch,update,create secrets"]),
    ].join(""),
    "templates/service.yaml": service(FULL, labelsOf("controller", "cert-manager"), [{ name: "http-metrics", port: 9402 }]),
    "templates/webhook-service.yaml": service(`${FULL}-webhook`, labelsOf("webhook"), [{ name: "https", port: 443 }]),
    "templates/deployment.yaml": deployment({
      suffix: "",
      component: "controller",
      label: "cert-manager",
      values: ".Values",
      container: {
        args: ["--v={{ .Values.global.logLevel }}", "--cluster-resource-namespace=$(POD_NAMESPACE)", LEADER],
        ports: [{ name: "http-metrics", containerPort: 9402, protocol: "TCP" }],
      },
    }),
    "templates/cainjector-deployment.yaml": `{{- if .Values.cainjector.enabled }}\n${deployment({
      suffix: "-cainjector",
      component: "cainjector",
      values: ".Values.cainjector",
      container: { args: ["--v={{ .Values.global.logLevel }}", LEADER] },
    })}{{- end }}\n`,
    "templates/webhook-deployment.yaml": deployment({
      suffix: "-webhook",
      component: "webhook",
      values: ".Values.webhook",
      container: {
        args: [
          "--v={{ .Values.global.logLevel }}",
          "--secure-port={{ .Values.webhook.securePort }}",
          "--dynamic-serving-ca-secret-namespace=$(POD_NAMESPACE)",
          `--dynamic-serving-ca-secret-name=${FULL}-webhook-ca`,
        ],
        ports: [{ name: "https", containerPort: raw(".Values.webhook.securePort"), protocol: "TCP" }],
        readinessProbe: { httpGet: { path: "/healthz", port: 6080 } },
      },
    }),
    "templates/webhooks.yaml": `${webhook("MutatingWebhookConfiguration", "/mutate")}${webhook("ValidatingWebhookConfiguration", "/validate")}`,
    "templates/startupapicheck-job.yaml": CHECK,
    "templates/NOTES.txt": "cert-manager {{ .Chart.AppVersion }} has been deployed successfully!\n",
  }),
};

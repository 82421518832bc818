import type { LabChart } from "./chart.ts";
import { type Definition, definitions } from "./definitions.ts";
import { access, clusterAccess, NAMESPACE, namespaced, RESTRICTED, service, serviceAccount } from "./parts.ts";
import { document, raw, type Template, tree, wholeTree } from "./template.ts";

const FULL = '{{ include "argo-cd.fullname" . }}';

/** A release called "argocd" is not called "argocd-argocd". */
const NAMES = `{{- define "argo-cd.fullname" -}}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride }}
{{- else if contains .Values.nameOverride .Release.Name }}{{ .Release.Name }}
{{- else }}{{ printf "%s-%s" .Release.Name .Values.nameOverride | trunc 43 | trimSuffix "-" }}{{ end }}
{{- end }}
`;

const SOURCE: Definition["spec"] = {
  repoURL: "string!",
  path: "string",
  targetRevision: "string",
  chart: "string",
  ref: "string",
  helm: "any",
  kustomize: "any",
  directory: "any",
  plugin: "any",
};

const KINDS: readonly Definition[] = [
  {
    group: "argoproj.io",
    kind: "Application",
    versions: ["v1alpha1"],
    short: ["app", "apps"],
    status: "plain",
    spec: {
      project: "string!",
      "destination!": { server: "string", namespace: "string", name: "string" },
      source: SOURCE,
      sources: [SOURCE],
      syncPolicy: {
        automated: { prune: "boolean", selfHeal: "boolean", allowEmpty: "boolean", enabled: "boolean" },
        syncOptions: ["string"],
        retry: "any",
        managedNamespaceMetadata: "any",
      },
      ignoreDifferences: ["any"],
      info: ["any"],
      revisionHistoryLimit: "integer",
    },
  },
  { group: "argoproj.io", kind: "ApplicationSet", versions: ["v1alpha1"], short: ["appset", "appsets"] },
  { group: "argoproj.io", kind: "AppProject", status: "plain", versions: ["v1alpha1"], short: ["appproj", "appprojs"] },
];

interface Component {
  /** "repo-server" */
  name: string;
  values: string;
  command: string;
  kind?: "Deployment" | "StatefulSet";
  port: number;
  when?: string;
}

const COMPONENTS: readonly Component[] = [
  {
    name: "application-controller",
    values: "controller",
    command: "argocd-application-controller",
    kind: "StatefulSet",
    port: 8082,
  },
  { name: "applicationset-controller", values: "applicationSet", command: "argocd-applicationset-controller", port: 7000 },
  {
    name: "notifications-controller",
    values: "notifications",
    command: "argocd-notifications",
    port: 9001,
    when: ".Values.notifications.enabled",
  },
  { name: "repo-server", values: "repoServer", command: "argocd-repo-server", port: 8081 },
  { name: "server", values: "server", command: "argocd-server", port: 8080 },
];

const labelsOf = (name: string) => ({
  "app.kubernetes.io/name": `argocd-${name}`,
  "app.kubernetes.io/instance": "{{ .Release.Name }}",
});

const IMAGE = "{{ .Values.global.image.repository }}:{{ .Values.global.image.tag | default .Chart.AppVersion }}";

function component({ name, values, command, kind = "Deployment", port, when }: Component): string {
  const labels = labelsOf(name);
  const text = [
    serviceAccount(`argocd-${name}`),
    namespaced("apps/v1", kind, `${FULL}-${name}`, {
      spec: {
        replicas: raw(`.Values.${values}.replicas`),
        ...(kind === "StatefulSet" && { serviceName: `${FULL}-${name}` }),
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations: { "checksum/cm": "{{ toJson .Values.configs.cm | sha256sum }}" } },
          spec: {
            serviceAccountName: `argocd-${name}`,
            containers: [
              {
                name,
                image: IMAGE,
                imagePullPolicy: "{{ .Values.global.image.imagePullPolicy }}",
                args: [`/usr/local/bin/${command}`],
                ports: [{ name, containerPort: port, protocol: "TCP" }],
                resources: wholeTree(`.Values.${values}.resources`),
                securityContext: RESTRICTED,
                readinessProbe: { tcpSocket: { port } },
              },
            ],
            nodeSelector: tree(".Values.global.nodeSelector"),
            tolerations: tree(".Values.global.tolerations"),
          },
        },
      },
    }),
    service(`${FULL}-${name}`, labels, [{ name: `tcp-${name}`.slice(0, 15).replace(/-$/, ""), port, target: port }]),
  ].join("");
  return when === undefined ? text : `{{- if ${when} }}\n${text}{{- end }}\n`;
}

const HOOK: Readonly<Record<string, Template>> = {
  "helm.sh/hook": "pre-install,pre-upgrade",
  "helm.sh/hook-delete-policy": "before-hook-creation",
};
const INIT = `${FULL}-redis-secret-init`;

/** Redis has a password from the first moment, which a Job makes before all else. */
const SECRET_INIT = `{{- if .Values.redisSecretInit.enabled }}
${document({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: INIT, namespace: NAMESPACE, annotations: HOOK } })}${access(
  INIT,
  INIT,
  ["get,create secrets"],
  NAMESPACE,
  HOOK,
)}${document({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: INIT, namespace: NAMESPACE, annotations: HOOK },
  spec: {
    backoffLimit: 3,
    ttlSecondsAfterFinished: 60,
    template: {
      metadata: { labels: labelsOf("redis-secret-init") },
      spec: {
        restartPolicy: "OnFailure",
        serviceAccountName: INIT,
        containers: [
          {
            name: "secret-init",
            image: IMAGE,
            command: ["argocd", "admin", "redis-initial-password"],
            securityContext: RESTRICTED,
          },
        ],
      },
    },
  },
})}{{- end }}
`;

const configMap = (name: string, path: string) => `---
apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  namespace: {{ .Release.Namespace }}
  labels:
    app.kubernetes.io/part-of: argocd
data:
  {{- range $key, $value := omit ${path} "create" "annotations" }}
  {{ $key }}: {{ $value | toString | quote }}
  {{- end }}
`;

/** argoproj/argo-helm, charts/argo-cd. */
export const argoCd: LabChart = {
  name: "argo-cd",
  description: "A Helm chart for Argo CD, a declarative, GitOps continuous delivery tool for Kubernetes.",
  homes: ["oci://ghcr.io/argoproj/argo-helm", "https://argoproj.github.io/argo-helm"],
  versions: [{ version: "10.1.1", app: "v3.4.4" }],
  kubeVersion: ">=1.25.0-0",
  values: () => ({
    nameOverride: "argocd",
    fullnameOverride: "",
    crds: { install: true, keep: true },
    global: {
      domain: "argocd.example.com",
      image: { repository: "quay.io/argoproj/argocd", tag: "", imagePullPolicy: "IfNotPresent" },
      nodeSelector: { "kubernetes.io/os": "linux" },
      tolerations: [],
    },
    configs: {
      cm: {
        create: true,
        annotations: {},
        "application.instanceLabelKey": "argocd.argoproj.io/instance",
        "admin.enabled": true,
        "timeout.reconciliation": "120s",
      },
      params: { create: true, annotations: {}, "server.insecure": false },
      rbac: { create: true, annotations: {}, "policy.default": "", "policy.csv": "" },
    },
    redis: { enabled: true, image: { repository: "ecr-public.aws.com/docker/library/redis", tag: "8.2.3-alpine" } },
    redisSecretInit: { enabled: true },
    dex: { enabled: true, image: { repository: "ghcr.io/dexidp/dex", tag: "v2.45.1" } },
    notifications: { enabled: true, replicas: 1, resources: {} },
    controller: { replicas: 1, resources: {} },
    server: { replicas: 1, resources: {} },
    repoServer: { replicas: 1, resources: {} },
    applicationSet: { replicas: 1, resources: {} },
  }),
  files: () => ({
    "templates/_helpers.tpl": NAMES,
    "templates/crds.yaml": `{{- if .Values.crds.install }}\n${definitions(
      KINDS.map((one) => ({ ...one, annotations: { "helm.sh/resource-policy": "keep" } })),
    )}{{- end }}\n`,
    "templates/configs.yaml": [
      configMap("argocd-cm", ".Values.configs.cm"),
      configMap("argocd-cmd-params-cm", ".Values.configs.params"),
      configMap("argocd-rbac-cm", ".Values.configs.rbac"),
      namespaced("v1", "ConfigMap", "argocd-ssh-known-hosts-cm", { data: { ssh_known_hosts: "" } }),
      namespaced("v1", "Secret", "argocd-secret", { type: "Opaque" }),
    ].join(""),
    "templates/access.yaml": [
      clusterAccess(`${FULL}-application-controller`, "argocd-application-controller", ["*: * *"]),
      access(`${FULL}-server`, "argocd-server", ["get,list,watch,create,update,patch secrets,configmaps", "argoproj.io: * *"]),
      access(`${FULL}-repo-server`, "argocd-repo-server", ["get,list,watch secrets,configmaps"]),
      access(`${FULL}-applicationset-controller`, "argocd-applicationset-controller", ["argoproj.io: * *"]),
    ].join(""),
    ...Object.fromEntries(COMPONENTS.map((one) => [`templates/argocd-${one.name}.yaml`, component(one)])),
    "templates/redis.yaml": `{{- if .Values.redis.enabled }}\n${deployment("redis", 6379, ".Values.redis.image", {})}{{- end }}\n`,
    "templates/dex.yaml": `{{- if .Values.dex.enabled }}\n${serviceAccount("argocd-dex-server")}${deployment(
      "dex-server",
      5556,
      ".Values.dex.image",
      { serviceAccountName: "argocd-dex-server" },
    )}{{- end }}\n`,
    "templates/redis-secret-init.yaml": SECRET_INIT,
    "templates/NOTES.txt":
      'In order to access the server UI you have the following options:\n\n1. kubectl port-forward service/{{ include "argo-cd.fullname" . }}-server -n {{ .Release.Namespace }} 8080:443\n',
  }),
};

function deployment(name: string, port: number, image: string, more: Readonly<Record<string, Template>>): string {
  const labels = labelsOf(name);
  const container = {
    name,
    image: `{{ ${image}.repository }}:{{ ${image}.tag }}`,
    ports: [{ name, containerPort: port, protocol: "TCP" }],
    ...(name === "redis" && {
      env: [{ name: "REDIS_PASSWORD", valueFrom: { secretKeyRef: { name: "argocd-redis", key: "auth" } } }],
    }),
    securityContext: RESTRICTED,
  };
  return [
    namespaced("apps/v1", "Deployment", `${FULL}-${name}`, {
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { ...more, containers: [container] } },
      },
    }),
    service(`${FULL}-${name}`, labels, [{ name, port, target: port }]),
  ].join("");
}

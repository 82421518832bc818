import type { LabChart } from "./chart.ts";
import { definitions } from "./definitions.ts";
import { clusterAccess, NAMESPACE, namespaced, RESTRICTED, service, serviceAccount } from "./parts.ts";
import { document, raw, type Template } from "./template.ts";

const OPERATOR = "{{ .Release.Name }}-alloy-operator";
const PRESETS =
  "clustered daemonset deployment filesystem-log-reader host-cgroup host-network host-storage host-tracefs large linux-host-monitor medium otel-receiver privileged root service-discovery singleton small statefulset windows-host-process windows-scrapeable windows xlarge";

/** What the chart refuses before it makes anything. */
const VALIDATIONS = `{{- if not (or .Values.cluster.name .Values.cluster.nameFrom) }}
{{- fail "\\nA Cluster name is required!\\nPlease set:\\ncluster:\\n  name: my-cluster-name" }}
{{- end }}
{{- if not .Values.collectors }}
{{- fail "\\nAt least one collector should be enabled\\nPlease enable one by setting:\\ncollectors:\\n  <collector-name>:\\n    <collector-settings>" }}
{{- end }}
{{- $known := splitList " " "${PRESETS}" }}
{{- range $name, $collector := .Values.collectors }}
{{- range $preset := $collector.presets }}
{{- if not (has $preset $known) }}
{{- fail (printf "\\nThe collector \\"%s\\" is using an unknown preset: %s\\nPlease use one of the known presets: %s" $name $preset (join ", " $known)) }}
{{- end }}
{{- end }}
{{- end }}
{{- range $feature := list "clusterMetrics" "hostMetrics" "clusterEvents" "podLogsViaLoki" "podLogsViaKubernetesApi" }}
{{- with index $.Values $feature }}
{{- if and .enabled .collector (not (hasKey $.Values.collectors .collector)) }}
{{- fail (printf "\\nThe collector \\"%s\\" that %s is assigned to does not exist." .collector $feature) }}
{{- end }}
{{- end }}
{{- end }}
`;

const SECRETS = `{{- range $name, $destination := .Values.destinations }}
{{- $auth := $destination.auth | default dict }}
{{- $secret := $destination.secret | default dict }}
{{- if and (ne (toString $secret.create) "false") (or $auth.username $auth.password $auth.bearerToken) }}
---
apiVersion: v1
kind: Secret
metadata:
  name: {{ printf "%s-%s-k8s-monitoring" $name $.Release.Name | quote }}
  namespace: {{ $.Release.Namespace | quote }}
type: Opaque
data:
  {{- with $auth.username }}
  username: {{ . | b64enc | quote }}
  {{- end }}
  {{- with $auth.password }}
  password: {{ . | b64enc | quote }}
  {{- end }}
  {{- with $auth.bearerToken }}
  bearerToken: {{ . | b64enc | quote }}
  {{- end }}
{{- end }}
{{- end }}
`;

/** One Alloy for each collector, with the destinations in its config; what it runs as comes of its presets. */
const COLLECTORS = `{{- range $name, $collector := .Values.collectors }}
{{- $presets := $collector.presets | default list }}
{{- $type := "deployment" }}
{{- if has "daemonset" $presets }}{{ $type = "daemonset" }}{{ end }}
{{- if has "statefulset" $presets }}{{ $type = "statefulset" }}{{ end }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ $.Release.Name }}-{{ $name }}
  namespace: {{ $.Release.Namespace }}
data:
  config.alloy: |
    // Cluster {{ $.Values.cluster.name }}
    {{- range $destinationName, $destination := $.Values.destinations }}
    // Destination {{ $destinationName }} ({{ $destination.type | required (printf "destination %s has no type" $destinationName) }}): {{ $destination.url | default $destination.urlFrom | required (printf "destination %s has no url" $destinationName) }}
    {{- end }}
---
apiVersion: collectors.grafana.com/v1alpha1
kind: Alloy
metadata:
  name: {{ $.Release.Name }}-{{ $name }}
  namespace: {{ $.Release.Namespace }}
spec:
  alloy:
    configMap:
      create: false
      name: {{ $.Release.Name }}-{{ $name }}
    {{- if has "clustered" $presets }}
    clustering:
      enabled: true
    {{- end }}
    {{- if has "filesystem-log-reader" $presets }}
    mounts:
      varlog: true
    {{- end }}
  controller:
    type: {{ $type }}
{{- end }}
`;

const labelsOf = (name: string) => ({ "app.kubernetes.io/name": name, "app.kubernetes.io/instance": "{{ .Release.Name }}" });

function workload(
  kind: "Deployment" | "DaemonSet",
  name: string,
  image: string,
  pod: Readonly<Record<string, Template>>,
  container: Readonly<Record<string, Template>>,
): string {
  const labels = labelsOf(name);
  return namespaced("apps/v1", kind, `{{ .Release.Name }}-${name}`, {
    spec: {
      ...(kind === "Deployment" && { replicas: 1 }),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: `{{ .Release.Name }}-${name}`,
          nodeSelector: { "kubernetes.io/os": "linux" },
          ...pod,
          containers: [{ name, image, ...container }],
        },
      },
    },
  });
}

const SERVICES = [
  `{{- if index .Values "telemetryServices" "kube-state-metrics" "deploy" }}\n`,
  serviceAccount("{{ .Release.Name }}-kube-state-metrics"),
  clusterAccess("{{ .Release.Name }}-kube-state-metrics", "{{ .Release.Name }}-kube-state-metrics", ["*: list,watch *"]),
  workload(
    "Deployment",
    "kube-state-metrics",
    "registry.k8s.io/kube-state-metrics/kube-state-metrics:v2.19.1",
    {},
    {
      args: ["--port=8080"],
      ports: [{ name: "http", containerPort: 8080 }],
      securityContext: RESTRICTED,
    },
  ),
  service("{{ .Release.Name }}-kube-state-metrics", labelsOf("kube-state-metrics"), [{ name: "http", port: 8080 }]),
  "{{- end }}\n",
  `{{- if index .Values "telemetryServices" "node-exporter" "deploy" }}\n`,
  serviceAccount("{{ .Release.Name }}-node-exporter"),
  workload(
    "DaemonSet",
    "node-exporter",
    "quay.io/prometheus/node-exporter:v1.12.1",
    {
      hostNetwork: true,
      hostPID: true,
      tolerations: [{ effect: "NoSchedule", operator: "Exists" }],
      volumes: [
        { name: "proc", hostPath: { path: "/proc" } },
        { name: "sys", hostPath: { path: "/sys" } },
        { name: "root", hostPath: { path: "/" } },
      ],
    },
    {
      args: ["--path.procfs=/host/proc", "--path.sysfs=/host/sys", "--path.rootfs=/host/root"],
      ports: [{ name: "metrics", containerPort: 9100 }],
      volumeMounts: [
        { name: "proc", mountPath: "/host/proc", readOnly: true },
        { name: "sys", mountPath: "/host/sys", readOnly: true },
        { name: "root", mountPath: "/host/root", readOnly: true },
      ],
    },
  ),
  service("{{ .Release.Name }}-node-exporter", labelsOf("node-exporter"), [{ name: "metrics", port: 9100 }]),
  "{{- end }}\n",
].join("");

/** Holds the operator back until its collectors are gone. */
function hook(name: string, event: string, script: string): string {
  const annotations = { "helm.sh/hook": event, "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded" };
  return document({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: `{{ .Release.Name }}-k8s-monitoring-${name}`, namespace: NAMESPACE, annotations },
    spec: {
      backoffLimit: raw("5"),
      template: {
        metadata: { labels: labelsOf(name) },
        spec: {
          restartPolicy: "Never",
          serviceAccountName: OPERATOR,
          containers: [
            {
              name,
              image: "ghcr.io/grafana/helm-chart-toolbox-kubectl:0.1.2",
              command: ["/bin/bash", "-ce", script],
              securityContext: { ...RESTRICTED, runAsUser: 4242 },
            },
          ],
        },
      },
    },
  });
}

const FINALIZER = "k8s.grafana.com/finalizer";

/** grafana/k8s-monitoring-helm, charts/k8s-monitoring: version 4's values, where destinations and collectors are maps. */
export const k8sMonitoring: LabChart = {
  name: "k8s-monitoring",
  description: "Capture all telemetry data from your Kubernetes cluster.",
  homes: ["https://grafana.github.io/helm-charts"],
  versions: [{ version: "4.4.0", app: "4.4.0" }],
  values: () => ({
    cluster: { name: "" },
    destinations: {},
    clusterMetrics: { enabled: false, collector: null },
    hostMetrics: { enabled: false, collector: null },
    clusterEvents: { enabled: false, collector: null },
    podLogsViaLoki: { enabled: false, collector: null },
    podLogsViaKubernetesApi: { enabled: false, collector: null },
    collectors: {},
    telemetryServices: { "kube-state-metrics": { deploy: false }, "node-exporter": { deploy: false } },
    "alloy-operator": { deploy: true, image: { repository: "ghcr.io/grafana/alloy-operator", tag: "1.11.1" } },
  }),
  files: () => ({
    "crds/alloy.yaml": definitions([{ group: "collectors.grafana.com", kind: "Alloy", versions: ["v1alpha1"] }]),
    "values.schema.json": `${JSON.stringify(
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        properties: {
          cluster: { type: "object", properties: { name: { type: "string" }, nameFrom: { type: "string" } } },
          collectors: { type: "object" },
          destinations: {
            type: "object",
            additionalProperties: {
              type: "object",
              properties: {
                type: { type: "string", enum: ["prometheus", "loki", "otlp", "pyroscope", "loki-stdout", "custom"] },
                url: { type: "string" },
              },
            },
          },
        },
      },
      null,
      2,
    )}\n`,
    "templates/validations.yaml": VALIDATIONS,
    "templates/destination_secret.yaml": SECRETS,
    "templates/alloy.yaml": COLLECTORS,
    "templates/telemetry-services.yaml": SERVICES,
    "templates/alloy-operator.yaml": [
      serviceAccount(OPERATOR),
      clusterAccess(OPERATOR, OPERATOR, [
        "collectors.grafana.com: * *",
        "apps: * deployments,daemonsets,statefulsets",
        "get,list,watch,create,update,patch,delete configmaps,services,serviceaccounts,events",
      ]),
      workload(
        "Deployment",
        "alloy-operator",
        '{{ index .Values "alloy-operator" "image" "repository" }}:{{ index .Values "alloy-operator" "image" "tag" }}',
        {},
        {
          args: ["--health-probe-bind-address=:8081", "--metrics-bind-address=:8082", "--leader-elect"],
          ports: [{ name: "http", containerPort: 8081 }],
          readinessProbe: { httpGet: { path: "/readyz", port: 8081 } },
          securityContext: RESTRICTED,
        },
      ),
    ].join(""),
    "templates/hooks.yaml": [
      hook(
        "add-finalizer",
        "post-install,post-upgrade",
        `kubectl patch --namespace={{ .Release.Namespace }} --patch='{\\"metadata\\":{\\"finalizers\\":[\\"${FINALIZER}\\"]}}' deployment/${OPERATOR}`,
      ),
      hook(
        "remove-alloy-and-finalizer",
        "pre-delete",
        `kubectl delete --namespace={{ .Release.Namespace }} alloys --all --wait && kubectl patch --namespace={{ .Release.Namespace }} --patch='{\\"metadata\\":{\\"finalizers\\":null}}' deployment/${OPERATOR}`,
      ),
    ].join(""),
    "templates/NOTES.txt": "Grafana k8s-monitoring Helm chart deployed!\n",
  }),
};

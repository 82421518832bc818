import type { LabChart } from "./chart.ts";
import {
  access,
  clusterAccess,
  clusterBinding,
  clusterWide,
  namespaced,
  service,
  serviceAccount,
  standardNames,
} from "./parts.ts";
import { included, only, raw, tree, wholeTree } from "./template.ts";

const FULL = '{{ include "metrics-server.fullname" . }}';

/** kubernetes-sigs/metrics-server, charts/metrics-server. */
export const metricsServer: LabChart = {
  name: "metrics-server",
  description: "Container resource metrics for Kubernetes' autoscaling pipelines.",
  homes: ["https://kubernetes-sigs.github.io/metrics-server", "https://kubernetes-sigs.github.io/metrics-server/"],
  versions: [
    { version: "3.13.1", app: "0.8.1" },
    { version: "3.13.0", app: "0.8.0" },
  ],
  values: () => ({
    image: { repository: "registry.k8s.io/metrics-server/metrics-server", tag: "", pullPolicy: "IfNotPresent" },
    nameOverride: "",
    fullnameOverride: "",
    rbac: { create: true },
    apiService: { create: true, insecureSkipTLSVerify: true },
    podLabels: {},
    podAnnotations: {},
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: "RuntimeDefault" },
      capabilities: { drop: ["ALL"] },
    },
    priorityClassName: "system-cluster-critical",
    containerPort: 10250,
    hostNetwork: { enabled: false },
    replicas: 1,
    defaultArgs: [
      "--cert-dir=/tmp",
      "--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname",
      "--kubelet-use-node-status-port",
      "--metric-resolution=15s",
    ],
    args: [],
    service: { port: 443 },
    resources: { requests: { cpu: "100m", memory: "200Mi" } },
    nodeSelector: {},
    tolerations: [],
    affinity: {},
  }),
  files: () => ({
    "templates/_helpers.tpl": standardNames("metrics-server"),
    "templates/serviceaccount.yaml": serviceAccount(FULL),
    "templates/rbac.yaml": [
      clusterAccess(`system:${FULL}`, FULL, [
        "get nodes/metrics",
        "get,list,watch pods,nodes,namespaces,configmaps",
        "certificates.k8s.io: get,list,watch certificatesigningrequests",
      ]),
      clusterBinding(`${FULL}:system:auth-delegator`, "system:auth-delegator", [FULL]),
      access(`${FULL}-auth-reader`, FULL, ["get,list,watch configmaps"], "kube-system"),
    ].join(""),
    "templates/service.yaml": service(FULL, included("metrics-server.selectorLabels"), [{ name: "https", port: 443 }]),
    "templates/deployment.yaml": namespaced("apps/v1", "Deployment", FULL, {
      spec: {
        replicas: raw(".Values.replicas"),
        selector: { matchLabels: included("metrics-server.selectorLabels") },
        template: {
          metadata: {
            labels: included("metrics-server.selectorLabels"),
            annotations: tree(".Values.podAnnotations"),
          },
          spec: {
            serviceAccountName: FULL,
            priorityClassName: only(".Values.priorityClassName", "{{ .Values.priorityClassName }}"),
            hostNetwork: only(".Values.hostNetwork.enabled", true),
            containers: [
              {
                name: "metrics-server",
                image: '{{ .Values.image.repository }}:{{ .Values.image.tag | default (printf "v%s" .Chart.AppVersion) }}',
                imagePullPolicy: "{{ .Values.image.pullPolicy }}",
                args: raw(
                  'concat (list (printf "--secure-port=%v" .Values.containerPort)) .Values.defaultArgs .Values.args | toYaml | nindent 12',
                ),
                ports: [{ name: "https", protocol: "TCP", containerPort: raw(".Values.containerPort") }],
                readinessProbe: { httpGet: { path: "/readyz", port: "https", scheme: "HTTPS" }, initialDelaySeconds: 20 },
                securityContext: wholeTree(".Values.securityContext"),
                resources: tree(".Values.resources"),
                volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
              },
            ],
            volumes: [{ name: "tmp", emptyDir: {} }],
            nodeSelector: tree(".Values.nodeSelector"),
            affinity: tree(".Values.affinity"),
            tolerations: tree(".Values.tolerations"),
          },
        },
      },
    }),
    "templates/apiservice.yaml": clusterWide(
      "apiregistration.k8s.io/v1",
      "APIService",
      "v1beta1.metrics.k8s.io",
      {
        spec: {
          group: "metrics.k8s.io",
          version: "v1beta1",
          groupPriorityMinimum: 100,
          versionPriority: 100,
          insecureSkipTLSVerify: raw(".Values.apiService.insecureSkipTLSVerify"),
          service: { name: FULL, namespace: "{{ .Release.Namespace }}", port: raw(".Values.service.port") },
        },
      },
      ".Values.apiService.create",
    ),
  }),
};

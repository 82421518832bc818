import type { LabChart } from "./chart.ts";
import { imageOf, namespaced, standardNames } from "./parts.ts";
import { included, raw, tree } from "./template.ts";

const FULL = '{{ include "podinfo.fullname" . }}';

/** stefanprodan/podinfo, charts/podinfo: the little web server that everybody tries charts with. */
export const podinfo: LabChart = {
  name: "podinfo",
  description: "Podinfo Helm chart for Kubernetes",
  homes: ["https://stefanprodan.github.io/podinfo", "oci://ghcr.io/stefanprodan/charts"],
  versions: [{ version: "6.9.2", app: "6.9.2" }],
  kubeVersion: ">=1.23.0-0",
  values: ({ app }) => ({
    replicaCount: 1,
    logLevel: "info",
    nameOverride: "",
    fullnameOverride: "",
    image: { repository: "ghcr.io/stefanprodan/podinfo", tag: app, pullPolicy: "IfNotPresent" },
    ui: { color: "#34577c", message: "", logo: "" },
    service: { enabled: true, type: "ClusterIP", httpPort: 9898 },
    resources: {},
    nodeSelector: {},
    tolerations: [],
  }),
  files: () => ({
    "templates/_helpers.tpl": standardNames("podinfo"),
    "templates/service.yaml": namespaced(
      "v1",
      "Service",
      FULL,
      {
        spec: {
          type: "{{ .Values.service.type }}",
          ports: [{ port: raw(".Values.service.httpPort"), targetPort: "http", protocol: "TCP", name: "http" }],
          selector: included("podinfo.selectorLabels"),
        },
      },
      ".Values.service.enabled",
    ),
    "templates/deployment.yaml": namespaced("apps/v1", "Deployment", FULL, {
      spec: {
        replicas: raw(".Values.replicaCount"),
        selector: { matchLabels: included("podinfo.selectorLabels") },
        template: {
          metadata: { labels: included("podinfo.selectorLabels") },
          spec: {
            containers: [
              {
                name: "podinfo",
                image: imageOf(".Values.image"),
                imagePullPolicy: "{{ .Values.image.pullPolicy }}",
                command: ["./podinfo", "--port={{ .Values.service.httpPort }}", "--level={{ .Values.logLevel }}"],
                env: [{ name: "PODINFO_UI_COLOR", value: "{{ .Values.ui.color }}" }],
                ports: [{ name: "http", containerPort: raw(".Values.service.httpPort"), protocol: "TCP" }],
              },
            ],
            nodeSelector: tree(".Values.nodeSelector"),
            tolerations: tree(".Values.tolerations"),
          },
        },
      },
    }),
  }),
};

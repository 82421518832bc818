import type { LabChart } from "../chart.ts";
import { ACCESS } from "./access.ts";
import { AGENT } from "./agent.ts";
import { CERTIFICATES } from "./certificates.ts";
import { CONFIG } from "./config.ts";
import { HUBBLE } from "./hubble.ts";
import { OPERATOR } from "./operator.ts";
import { valuesYaml } from "./values.ts";

const NOTES = `You have successfully installed Cilium{{ if .Values.hubble.enabled }} with Hubble{{ end }}.

Your release version is {{ .Chart.Version }}.
`;

/** Of some values; the others take what they are given, as in Cilium's own schema. */
const SCHEMA = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: {
    kubeProxyReplacement: { type: ["string", "boolean"] },
    k8sServiceHost: { type: "string" },
    k8sServicePort: { type: ["string", "integer"] },
    ipam: { type: "object", properties: { mode: { type: "string" } } },
    operator: { type: "object", properties: { replicas: { type: "integer" }, enabled: { type: "boolean" } } },
    cgroup: {
      type: "object",
      properties: {
        autoMount: { type: "object", properties: { enabled: { type: "boolean" } } },
        hostRoot: { type: "string" },
      },
    },
    hubble: { type: "object", properties: { enabled: { type: "boolean" } } },
    l2announcements: { type: "object", properties: { enabled: { type: "boolean" } } },
    bgpControlPlane: { type: "object", properties: { enabled: { type: "boolean" } } },
    gatewayAPI: { type: "object", properties: { enabled: { type: "boolean" } } },
  },
};

/** cilium/cilium, install/kubernetes/cilium. */
export const cilium: LabChart = {
  name: "cilium",
  description: "eBPF-based Networking, Security, and Observability",
  homes: ["https://helm.cilium.io", "oci://quay.io/cilium/charts"],
  versions: ["1.20.2", "1.20.1", "1.19.7", "1.17.3"].map((version) => ({ version, app: version })),
  kubeVersion: ">= 1.21.0-0",
  values: () => ({}),
  files: ({ version }) => ({
    "values.yaml": valuesYaml(version),
    "values.schema.json": `${JSON.stringify(SCHEMA, null, 2)}\n`,
    "templates/cilium-agent/daemonset.yaml": AGENT,
    "templates/cilium-operator/deployment.yaml": OPERATOR,
    "templates/cilium-configmap.yaml": CONFIG,
    "templates/hubble.yaml": HUBBLE,
    "templates/hubble/tls-cronjob.yaml": CERTIFICATES,
    "templates/access.yaml": ACCESS,
    "templates/NOTES.txt": NOTES,
  }),
};

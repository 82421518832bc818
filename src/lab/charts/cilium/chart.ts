import type { ChartFiles } from "../repository.ts";
import { ACCESS } from "./access.ts";
import { AGENT } from "./agent.ts";
import { CONFIG } from "./config.ts";
import { NOTES } from "./notes.ts";
import { OPERATOR } from "./operator.ts";
import { valuesYaml } from "./values.ts";

/** Newest first. */
export const CILIUM_VERSIONS = ["1.20.1", "1.19.7", "1.17.3"] as const;

export function ciliumChart(version: string): ChartFiles {
  return {
    "Chart.yaml": [
      "apiVersion: v2",
      "name: cilium",
      "description: eBPF-based Networking, Security, and Observability",
      `version: ${version}`,
      `appVersion: ${version}`,
      'kubeVersion: ">= 1.21.0-0"',
      "home: https://cilium.io/",
      "keywords: [BPF, eBPF, Kubernetes, Networking, Security]",
      "",
    ].join("\n"),
    "values.yaml": valuesYaml(version),
    "templates/cilium-agent/daemonset.yaml": AGENT,
    "templates/cilium-operator/deployment.yaml": OPERATOR,
    "templates/cilium-configmap.yaml": CONFIG,
    "templates/access.yaml": ACCESS,
    "templates/NOTES.txt": NOTES,
  };
}

import { PRESETS } from "../../catalog/addons/presets.ts";
import { DEFAULT_HELM_IMAGE, DEFAULT_VERIFY } from "../defaults.ts";
import type { Answers } from "./answers.ts";

/**
 * What is installed into the cluster, and what is tried in it; Cilium's own lines hold when it is the pod network. `own`: lines of presets that
 * only one platform has.
 */
export function addons(cni: Answers["cni"], own: readonly string[] = []): string {
  const mark = cni === "cilium" ? "" : "# ";
  return `${mark}addons: § software to install; a preset is a chart with the settings it needs on Talos
${mark}  cilium: § for cni: cilium
${mark}    version: "${PRESETS.cilium.chart.version}" § chart version
${CILIUM.map((line) => `${mark}    # ${line}`).join("\n")}
${[...FIRST, ...own, ...OTHERS].map((line) => `${mark}  # ${line}`).join("\n")}

${VERIFY}`;
}

const CILIUM = [
  "repository: https://helm.cilium.io § every preset has version, repository, namespace and values",
  "values: { debug: { enabled: true } } § merged over the values that Talos needs",
  "hubble: true § shows network traffic",
  "loadBalancer: § addresses for services of type LoadBalancer",
  "  addresses: [10.10.0.240-10.10.0.250] § ranges or networks that nothing else uses",
  "  announce: l2 § in the nodes' own network; or bgp, or none",
  '  interfaces: ["^eth[0-9]+"] § for l2: network cards; default: all',
  "bgp: { asn: 64512, peers: [{ address: 10.10.0.1, asn: 64500 }] } § for announce: bgp",
  "gatewayApi: true § also { version: v1.4.1 }",
];

const FIRST = [
  "secrets: § created before everything else",
  "  - name: registry",
  "    namespace: apps § created when absent",
  "    type: Opaque",
  `    data: { token: "\${env:REGISTRY_TOKEN}" }`,
  "talosCcm: true § Talos's cloud controller",
];

const OTHERS = [
  "metricsServer: true § for kubectl top and autoscaling",
  "certManager: true",
  "longhorn: { replicas: 3, volume: data, defaultClass: true } § user volume of the workers; default: the system disk",
  "localPath: { path: /var/mnt/local, defaultClass: false } § volumes are folders",
  "nvidia: true § for nodes with gpu",
  "monitoring: § Grafana's k8s-monitoring",
  "  logs: true § also the pods' logs",
  "  destinations:",
  "    metrics: § a name of your choice",
  "      type: prometheus § or loki, or otlp",
  "      url: https://prometheus.example.org/api/prom/push",
  '      username: "123456"',
  `      password: \${env:GRAFANA_TOKEN}`,
  "manifests: § applied unchanged",
  "  - manifests/apps.yaml § a file beside this one",
  "  - url: https://example.org/v1.2.3/install.yaml",
  "    sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 § a different file is refused",
  "  - name: apps",
  "    inline: { apiVersion: v1, kind: Namespace, metadata: { name: apps } }",
  "charts: § other charts",
  "  - name: ingress § name of the release",
  "    chart: ingress-nginx",
  "    repository: https://charts.example.org § or oci://registry.example.org/charts",
  '    version: "1.2.3"',
  "    namespace: ingress § default: the release's name",
  "    namespaceLabels: { pod-security.kubernetes.io/enforce: privileged }",
  "    values: { replicas: 2 }",
  "flux: § applies the contents of a Git repository",
  "  url: ssh://git@github.com/me/cluster § or https://, with username and password",
  "  branch: main",
  "  path: ./clusters/homelab",
  "  interval: 1m",
  "  key: deploy-key § file with the private key; its public key is the repository's deploy key",
  `  knownHosts: \${file:known_hosts} § built in for github.com, gitlab.com and codeberg.org`,
  `  ageKey: \${file:age.agekey} § decrypts the repository's secrets; default: this file, generated when absent`,
  "argocd: true § or the same keys as flux",
  `helmImage: ${DEFAULT_HELM_IMAGE} § image that installs charts`,
];

const VERIFY = `# maintenance: { workers: 1 } § workers that may be out of service at one time; or a share: 25%
# backup: { recipients: [age1…] } § age public keys that backups and etcd snapshots are encrypted to
# verify: § tests when the cluster is up
#   smoke: true § a pod on every worker tests access to the API and another pod
#   image: ${DEFAULT_VERIFY.image}
#   gpuImage: ${DEFAULT_VERIFY.gpuImage} § for nodes with a GPU
`;

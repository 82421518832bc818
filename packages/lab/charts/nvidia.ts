import type { LabChart } from "./chart.ts";
import { definitions } from "./definitions.ts";
import { access, clusterAccess, NAMESPACE, namespaced, ownNamespace, ownNode, serviceAccount, standardNames } from "./parts.ts";
import { document, included, only, raw, type Template, tree, wholeTree } from "./template.ts";

const PLUGIN = "nvidia-device-plugin";
const PLUGIN_FULL = `{{ include "${PLUGIN}.fullname" . }}`;

const hostPath = (name: string, path: string, type = "") => ({ name, hostPath: { path, ...(type !== "" && { type }) } });

/** Only nodes that are labelled as having a card. */
const AFFINITY = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        ["feature.node.kubernetes.io/pci-10de.present", "true"],
        ["feature.node.kubernetes.io/cpu-model.vendor_id", "NVIDIA"],
        ["nvidia.com/gpu.present", "true"],
      ].map(([key, value]) => ({ matchExpressions: [{ key, operator: "In", values: [value] }] })),
    },
  },
};

/** NVIDIA/k8s-device-plugin, deployments/helm. */
export const nvidiaDevicePlugin: LabChart = {
  name: PLUGIN,
  description: "A Helm chart for the nvidia-device-plugin on Kubernetes",
  homes: ["https://nvidia.github.io/k8s-device-plugin"],
  versions: [
    { version: "0.20.0", app: "0.20.0" },
    { version: "0.19.3", app: "0.19.3" },
  ],
  values: () => ({
    nameOverride: "",
    fullnameOverride: "",
    allowDefaultNamespace: false,
    image: { repository: "nvcr.io/nvidia/k8s-device-plugin", pullPolicy: "IfNotPresent", tag: "" },
    updateStrategy: { type: "RollingUpdate" },
    podAnnotations: {},
    resources: {},
    nodeSelector: {},
    affinity: AFFINITY,
    tolerations: [
      { key: "CriticalAddonsOnly", operator: "Exists" },
      { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" },
    ],
    priorityClassName: "system-node-critical",
    runtimeClassName: null,
    devicePlugin: { enabled: true },
    gfd: { enabled: false },
    "node-feature-discovery": {
      priorityClassName: "system-node-critical",
      image: { repository: "registry.k8s.io/nfd/node-feature-discovery" },
      worker: {
        tolerations: [CONTROL_PLANE, { key: "nvidia.com/gpu", operator: "Equal", value: "present", effect: "NoSchedule" }],
      },
    },
  }),
  files: () => ({
    "templates/_helpers.tpl": standardNames(PLUGIN),
    "templates/validation.yml": `{{- if and (not .Values.allowDefaultNamespace) (eq .Release.Namespace "default") }}
{{- fail "Running in the 'default' namespace is not recommended.\\nSet '--set allowDefaultNamespace=true' to bypass this error." }}
{{- end }}
`,
    "templates/access.yaml": [
      serviceAccount(`${PLUGIN_FULL}-service-account`),
      clusterAccess(`${PLUGIN_FULL}-role`, `${PLUGIN_FULL}-service-account`, ["get,list,watch nodes"]),
    ].join(""),
    "crds/nfd-api-crds.yaml": NFD_DEFINITIONS,
    "templates/nfd.yaml": `{{- if .Values.gfd.enabled }}\n${nodeFeatureDiscovery()}{{- end }}\n`,
    "templates/daemonset-gfd.yml": `{{- if .Values.gfd.enabled }}\n${featureDiscovery()}{{- end }}\n`,
    "templates/daemonset-device-plugin.yml": `{{- if .Values.devicePlugin.enabled }}\n${namespaced(
      "apps/v1",
      "DaemonSet",
      PLUGIN_FULL,
      {
        spec: {
          selector: { matchLabels: included(`${PLUGIN}.selectorLabels`) },
          updateStrategy: wholeTree(".Values.updateStrategy"),
          template: {
            metadata: { labels: included(`${PLUGIN}.selectorLabels`) },
            spec: {
              priorityClassName: only(".Values.priorityClassName", "{{ .Values.priorityClassName }}"),
              runtimeClassName: only(".Values.runtimeClassName", "{{ .Values.runtimeClassName }}"),
              serviceAccountName: `${PLUGIN_FULL}-service-account`,
              containers: [
                {
                  name: "nvidia-device-plugin-ctr",
                  image: '{{ .Values.image.repository }}:{{ .Values.image.tag | default (printf "v%s" .Chart.AppVersion) }}',
                  imagePullPolicy: "{{ .Values.image.pullPolicy }}",
                  command: ["nvidia-device-plugin"],
                  env: [ownNode("NODE_NAME"), { name: "NVIDIA_VISIBLE_DEVICES", value: "all" }],
                  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
                  resources: tree(".Values.resources"),
                  volumeMounts: [
                    { name: "kubelet-device-plugins-dir", mountPath: "/var/lib/kubelet/device-plugins" },
                    { name: "cdi-root", mountPath: "/var/run/cdi" },
                  ],
                },
              ],
              volumes: [
                hostPath("kubelet-device-plugins-dir", "/var/lib/kubelet/device-plugins", "Directory"),
                hostPath("cdi-root", "/var/run/cdi", "DirectoryOrCreate"),
              ],
              nodeSelector: tree(".Values.nodeSelector"),
              affinity: tree(".Values.affinity"),
              tolerations: tree(".Values.tolerations"),
            },
          },
        },
      },
    )}{{- end }}\n`,
  }),
};

const NFD = "{{ .Release.Name }}-node-feature-discovery";
const NFD_IMAGE = '{{ index .Values "node-feature-discovery" "image" "repository" }}:v0.19.0';

function nfd(
  role: "master" | "worker" | "gc",
  kind: "Deployment" | "DaemonSet",
  more: Readonly<Record<string, Template>>,
): string {
  const labels = {
    "app.kubernetes.io/name": "node-feature-discovery",
    "app.kubernetes.io/instance": "{{ .Release.Name }}",
    role,
  };
  return namespaced("apps/v1", kind, `${NFD}-${role}`, {
    spec: {
      ...(kind === "Deployment" && { replicas: 1 }),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: "node-feature-discovery",
          priorityClassName: raw('index .Values "node-feature-discovery" "priorityClassName"'),
          containers: [
            {
              name: role,
              image: NFD_IMAGE,
              command: [`nfd-${role}`],
              env: [ownNode("NODE_NAME")],
              ports: [{ name: "http", containerPort: 8080 }],
              readinessProbe: { httpGet: { path: "/healthz", port: "http" } },
              securityContext: {
                allowPrivilegeEscalation: false,
                capabilities: { drop: ["ALL"] },
                readOnlyRootFilesystem: true,
                runAsNonRoot: true,
              },
              ...(role === "worker" && {
                volumeMounts: [
                  { name: "host-sys", mountPath: "/host-sys", readOnly: true },
                  { name: "host-os-release", mountPath: "/host-etc/os-release", readOnly: true },
                ],
              }),
            },
          ],
          ...(role === "worker" && { volumes: [hostPath("host-sys", "/sys"), hostPath("host-os-release", "/etc/os-release")] }),
          ...more,
        },
      },
    },
  });
}

const CONTROL_PLANE = { key: "node-role.kubernetes.io/control-plane", operator: "Equal", value: "", effect: "NoSchedule" };

const NFD_DEFINITIONS = definitions([
  { group: "nfd.k8s-sigs.io", kind: "NodeFeature", versions: ["v1alpha1"], status: false },
  { group: "nfd.k8s-sigs.io", kind: "NodeFeatureRule", scope: "Cluster", versions: ["v1alpha1"], status: false, short: ["nfr"] },
]);

/** kubernetes-sigs/node-feature-discovery, which both charts bring along. */
function nodeFeatureDiscovery(): string {
  return [
    serviceAccount("node-feature-discovery"),
    clusterAccess(NFD, "node-feature-discovery", ["get,list,watch,patch,update nodes", "nfd.k8s-sigs.io: * *"]),
    nfd("master", "Deployment", { tolerations: [CONTROL_PLANE] }),
    nfd("gc", "Deployment", {}),
    nfd("worker", "DaemonSet", { tolerations: wholeTree('(index .Values "node-feature-discovery" "worker" "tolerations")') }),
  ].join("");
}

function featureDiscovery(): string {
  const labels = { "app.kubernetes.io/name": "gpu-feature-discovery", "app.kubernetes.io/instance": "{{ .Release.Name }}" };
  return namespaced("apps/v1", "DaemonSet", "{{ .Release.Name }}-gpu-feature-discovery", {
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          priorityClassName: "{{ .Values.priorityClassName }}",
          runtimeClassName: only(".Values.runtimeClassName", "{{ .Values.runtimeClassName }}"),
          serviceAccountName: `${PLUGIN_FULL}-service-account`,
          containers: [
            {
              name: "gpu-feature-discovery-ctr",
              image: '{{ .Values.image.repository }}:{{ .Values.image.tag | default (printf "v%s" .Chart.AppVersion) }}',
              command: ["gpu-feature-discovery"],
              env: [ownNode("NODE_NAME")],
              securityContext: { privileged: true },
              volumeMounts: [{ name: "host-sys", mountPath: "/sys" }],
            },
          ],
          volumes: [hostPath("host-sys", "/sys")],
          affinity: tree(".Values.affinity"),
          tolerations: tree(".Values.tolerations"),
        },
      },
    },
  });
}

/** What the operator is to make; the parts Talos brings itself are switched off there. */
const POLICY = `---
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata:
  name: cluster-policy
spec:
  hostPaths:
    rootFS: {{ .Values.hostPaths.rootFS }}
    driverInstallDir: {{ .Values.hostPaths.driverInstallDir }}
  operator:
    runtimeClass: {{ .Values.operator.runtimeClass }}
  daemonsets:
    priorityClassName: {{ .Values.daemonsets.priorityClassName }}
    {{- with .Values.daemonsets.tolerations }}
    tolerations:
      {{- toYaml . | nindent 6 }}
    {{- end }}
  driver:
    enabled: {{ .Values.driver.enabled }}
    repository: {{ .Values.driver.repository }}
    image: {{ .Values.driver.image }}
    version: {{ .Values.driver.version | quote }}
  toolkit:
    enabled: {{ .Values.toolkit.enabled }}
    repository: {{ .Values.toolkit.repository }}
    image: {{ .Values.toolkit.image }}
    version: {{ .Values.toolkit.version | quote }}
  devicePlugin:
    enabled: {{ .Values.devicePlugin.enabled }}
    repository: {{ .Values.devicePlugin.repository }}
    image: {{ .Values.devicePlugin.image }}
    version: {{ .Values.devicePlugin.version | quote }}
  cdi:
    enabled: {{ .Values.cdi.enabled }}
`;

/** NVIDIA/gpu-operator, deployments/gpu-operator, with the node feature discovery it brings along. */
export const gpuOperator: LabChart = {
  name: "gpu-operator",
  description: "NVIDIA GPU Operator creates/configures/manages GPUs atop Kubernetes",
  homes: ["https://helm.ngc.nvidia.com/nvidia"],
  versions: [
    { version: "v26.7.0", app: "v26.7.0" },
    { version: "v26.3.3", app: "v26.3.3" },
  ],
  kubeVersion: ">= 1.16.0-0",
  values: () => ({
    nfd: { enabled: true },
    cdi: { enabled: true },
    hostPaths: { rootFS: "/", driverInstallDir: "/run/nvidia/driver" },
    daemonsets: {
      priorityClassName: "system-node-critical",
      tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
    },
    operator: {
      repository: "nvcr.io/nvidia",
      image: "gpu-operator",
      imagePullPolicy: "IfNotPresent",
      priorityClassName: "system-node-critical",
      runtimeClass: "nvidia",
      cleanupCRD: false,
      upgradeCRD: true,
      nodeSelector: { "kubernetes.io/os": "linux" },
      tolerations: [CONTROL_PLANE],
    },
    driver: { enabled: true, repository: "nvcr.io/nvidia", image: "driver", version: "595.91.07" },
    toolkit: { enabled: true, repository: "nvcr.io/nvidia/k8s", image: "container-toolkit", version: "v1.20.0" },
    devicePlugin: { enabled: true, repository: "nvcr.io/nvidia", image: "k8s-device-plugin", version: "v0.20.0" },
    "node-feature-discovery": {
      priorityClassName: "system-node-critical",
      image: { repository: "registry.k8s.io/nfd/node-feature-discovery" },
      worker: { tolerations: [CONTROL_PLANE, { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }] },
    },
  }),
  files: () => ({
    "crds/nvidia.yaml": definitions([
      { group: "nvidia.com", kind: "ClusterPolicy", plural: "clusterpolicies", scope: "Cluster" },
      {
        group: "nvidia.com",
        kind: "NVIDIADriver",
        scope: "Cluster",
        versions: ["v1alpha1"],
        short: ["nvd", "nvdriver", "nvdrivers"],
      },
    ]),
    "crds/nfd-api-crds.yaml": NFD_DEFINITIONS,
    "templates/access.yaml": [
      serviceAccount("gpu-operator"),
      clusterAccess("gpu-operator", "gpu-operator", [
        "get,list,watch,patch,update nodes",
        "get,list,watch,create pods,namespaces,events",
        "nvidia.com: * *",
        "node.k8s.io: get,list,watch,create,update,delete runtimeclasses",
        "apps: get,list,watch daemonsets",
      ]),
      access("gpu-operator", "gpu-operator", [
        "get,list,watch,create,update,patch,delete configmaps,serviceaccounts,services",
        "apps: get,list,watch,create,update,patch,delete daemonsets",
      ]),
    ].join(""),
    "templates/nfd.yaml": `{{- if .Values.nfd.enabled }}\n${nodeFeatureDiscovery()}{{- end }}\n`,
    "templates/operator.yaml": namespaced("apps/v1", "Deployment", "gpu-operator", {
      spec: {
        replicas: 1,
        selector: { matchLabels: { "app.kubernetes.io/component": "gpu-operator", app: "gpu-operator" } },
        template: {
          metadata: { labels: { "app.kubernetes.io/component": "gpu-operator", app: "gpu-operator" } },
          spec: {
            serviceAccountName: "gpu-operator",
            priorityClassName: "{{ .Values.operator.priorityClassName }}",
            containers: [
              {
                name: "gpu-operator",
                image:
                  "{{ .Values.operator.repository }}/{{ .Values.operator.image }}:{{ .Values.operator.version | default .Chart.AppVersion }}",
                imagePullPolicy: "{{ .Values.operator.imagePullPolicy }}",
                command: ["gpu-operator"],
                args: ["--leader-elect"],
                env: [ownNamespace("OPERATOR_NAMESPACE")],
                readinessProbe: { httpGet: { path: "/readyz", port: 8081 } },
              },
            ],
            nodeSelector: tree(".Values.operator.nodeSelector"),
            tolerations: tree(".Values.operator.tolerations"),
          },
        },
      },
    }),
    "templates/clusterpolicy.yaml": POLICY,
    "templates/upgrade_crd.yaml": `{{- if .Values.operator.upgradeCRD }}\n${document({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: {
        name: "gpu-operator-upgrade-crd",
        namespace: NAMESPACE,
        annotations: { "helm.sh/hook": "pre-upgrade", "helm.sh/hook-delete-policy": "hook-succeeded,before-hook-creation" },
      },
      spec: {
        template: {
          spec: {
            restartPolicy: "OnFailure",
            serviceAccountName: "gpu-operator",
            tolerations: [CONTROL_PLANE],
            containers: [
              {
                name: "upgrade-crd",
                image:
                  "{{ .Values.operator.repository }}/{{ .Values.operator.image }}:{{ .Values.operator.version | default .Chart.AppVersion }}",
                command: ["/usr/bin/manage-crds"],
                args: ["apply", "--filepath=/opt/gpu-operator/nvidia.com_clusterpolicies.yaml"],
              },
            ],
          },
        },
      },
    })}{{- end }}\n`,
  }),
};

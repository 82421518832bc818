import type { LabChart } from "./chart.ts";
import { clusterAccess, imageOf, NAMESPACE, serviceAccount, standardNames } from "./parts.ts";
import { document, included, keysAnd, only, raw, type Template, tree, wholeTree } from "./template.ts";

const HTTPS_PATHS = "--authorization-always-allow-paths=/healthz,/livez,/readyz,/metrics";
const RULES = [
  "create,patch,update events",
  "get,list,watch,patch,update nodes",
  "patch nodes/status",
  "get,list,watch,create services,serviceaccounts,secrets,configmaps",
  "create serviceaccounts/token",
  "coordination.k8s.io: get,create,update leases",
  "certificates.k8s.io: list,watch certificatesigningrequests",
  "certificates.k8s.io: update certificatesigningrequests/approval",
  "certificates.k8s.io: approve signers",
];

const securityContext = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  seccompProfile: { type: "RuntimeDefault" },
};

function commonValues(repository: string, controllers: readonly string[]): object {
  const tolerated = ["node-role.kubernetes.io/control-plane", "node.cloudprovider.kubernetes.io/uninitialized"];
  return {
    replicaCount: 1,
    image: { repository, pullPolicy: "IfNotPresent", tag: "" },
    nameOverride: "",
    fullnameOverride: "",
    extraArgs: [],
    enabledControllers: controllers,
    logVerbosityLevel: 2,
    priorityClassName: "system-cluster-critical",
    podAnnotations: {},
    podSecurityContext: {
      runAsNonRoot: true,
      runAsUser: 10258,
      runAsGroup: 10258,
      fsGroup: 10258,
      fsGroupChangePolicy: "OnRootMismatch",
    },
    securityContext,
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } },
    tolerations: tolerated.map((key) => ({ effect: "NoSchedule", key, operator: "Exists" })),
    affinity: {},
  };
}

interface Workload {
  chart: string;
  /** The value that makes it one on every control plane. */
  everywhere: string;
  port: number;
  container: Readonly<Record<string, Template>>;
  annotations: Readonly<Record<string, Template>>;
  volumes: readonly Template[];
}

function workload({ chart, everywhere, port, container, annotations, volumes }: Workload): string {
  const full = `{{ include "${chart}.fullname" . }}`;
  return document({
    apiVersion: "apps/v1",
    kind: `{{ if ${everywhere} }}DaemonSet{{ else }}Deployment{{ end }}`,
    metadata: { name: full, namespace: NAMESPACE, labels: included(`${chart}.labels`) },
    spec: {
      replicas: only(`not ${everywhere}`, raw(".Values.replicaCount")),
      strategy: only(`not ${everywhere}`, wholeTree(".Values.updateStrategy")),
      updateStrategy: only(everywhere, wholeTree(".Values.updateStrategy")),
      selector: { matchLabels: included(`${chart}.selectorLabels`) },
      template: {
        metadata: { labels: included(`${chart}.selectorLabels`), annotations: keysAnd(".Values.podAnnotations", annotations) },
        spec: {
          priorityClassName: only(".Values.priorityClassName", "{{ .Values.priorityClassName }}"),
          serviceAccountName: full,
          securityContext: wholeTree(".Values.podSecurityContext"),
          hostNetwork: only(everywhere, true),
          dnsPolicy: only(everywhere, "ClusterFirstWithHostNet"),
          containers: [
            {
              name: chart,
              image: imageOf(".Values.image"),
              imagePullPolicy: "{{ .Values.image.pullPolicy }}",
              securityContext: wholeTree(".Values.securityContext"),
              ...container,
              ports: [{ name: "metrics", containerPort: port, protocol: "TCP" }],
            },
          ],
          volumes,
          nodeSelector: tree(".Values.nodeSelector"),
          affinity: tree(".Values.affinity"),
          tolerations: tree(".Values.tolerations"),
        },
      },
    },
  });
}

const args = (provider: string, config: string, port: number): Template => [
  "--v={{ .Values.logVerbosityLevel }}",
  `--cloud-provider=${provider}`,
  `--cloud-config=${config}`,
  '--controllers={{ join "," .Values.enabledControllers }}',
  `--leader-elect-resource-name=cloud-controller-manager-${provider}`,
  "--use-service-account-credentials",
  `--secure-port=${port}`,
  HTTPS_PATHS,
];

const PROXMOX = "proxmox-cloud-controller-manager";

/** sergelogvinov/proxmox-cloud-controller-manager, charts/. */
export const proxmoxCloudControllerManager: LabChart = {
  name: PROXMOX,
  description: "Cloud Controller Manager plugin for Proxmox",
  homes: ["oci://ghcr.io/sergelogvinov/charts"],
  versions: [{ version: "0.2.28", app: "v0.13.1" }],
  values: () => ({
    ...commonValues("ghcr.io/sergelogvinov/proxmox-cloud-controller-manager", ["cloud-node", "cloud-node-lifecycle"]),
    existingConfigSecret: null,
    existingConfigSecretKey: "config.yaml",
    config: { features: { provider: "default" }, clusters: [] },
    useDaemonSet: false,
    nodeSelector: {},
  }),
  files: () => ({
    "templates/_helpers.tpl": standardNames(PROXMOX),
    "templates/access.yaml": [
      serviceAccount(`{{ include "${PROXMOX}.fullname" . }}`),
      clusterAccess(`system:{{ include "${PROXMOX}.fullname" . }}`, `{{ include "${PROXMOX}.fullname" . }}`, RULES),
    ].join(""),
    "templates/secrets.yaml": document(
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: `{{ include "${PROXMOX}.fullname" . }}`, namespace: NAMESPACE },
        data: { "config.yaml": "{{ toYaml .Values.config | b64enc }}" },
      },
      "ne (len .Values.config.clusters) 0",
    ),
    "templates/deployment.yaml": workload({
      chart: PROXMOX,
      everywhere: ".Values.useDaemonSet",
      port: 10258,
      annotations: { "checksum/config": "{{ toJson .Values.config | sha256sum }}" },
      container: {
        args: args("proxmox", "/etc/proxmox/config.yaml", 10258),
        volumeMounts: [{ name: "cloud-config", mountPath: "/etc/proxmox", readOnly: true }],
      },
      volumes: [
        {
          name: "cloud-config",
          secret: {
            secretName: `{{ .Values.existingConfigSecret | default (include "${PROXMOX}.fullname" .) }}`,
            defaultMode: 416,
            items: only(".Values.existingConfigSecret", [{ key: "{{ .Values.existingConfigSecretKey }}", path: "config.yaml" }]),
          },
        },
      ],
    }),
  }),
};

const TALOS = "talos-cloud-controller-manager";

/** siderolabs/talos-cloud-controller-manager, charts/. */
export const talosCloudControllerManager: LabChart = {
  name: TALOS,
  description: "Talos Cloud Controller Manager Helm Chart",
  homes: ["oci://ghcr.io/siderolabs/charts"],
  versions: [{ version: "0.5.4", app: "v1.12.0" }],
  values: () => ({
    ...commonValues("ghcr.io/siderolabs/talos-cloud-controller-manager", ["cloud-node", "node-csr-approval"]),
    transformations: [],
    service: { port: 10458, containerPort: 10458 },
    daemonSet: { enabled: false },
    nodeSelector: { "node-role.kubernetes.io/control-plane": "" },
  }),
  files: () => ({
    "templates/_helpers.tpl": standardNames(TALOS),
    "templates/access.yaml": [
      serviceAccount(`{{ include "${TALOS}.fullname" . }}`),
      // Talos itself makes a Secret of the same name out of it.
      document({
        apiVersion: "talos.dev/v1alpha1",
        kind: "ServiceAccount",
        metadata: { name: `{{ include "${TALOS}.fullname" . }}-talos-secrets`, namespace: NAMESPACE },
        spec: { roles: ["os:reader"] },
      }),
      clusterAccess(`system:{{ include "${TALOS}.fullname" . }}`, `{{ include "${TALOS}.fullname" . }}`, RULES),
    ].join(""),
    "templates/configmap.yaml": document({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `{{ include "${TALOS}.fullname" . }}`, namespace: NAMESPACE },
      data: { "ccm-config.yaml": "global:\n" },
    }),
    "templates/deployment.yaml": workload({
      chart: TALOS,
      everywhere: ".Values.daemonSet.enabled",
      port: 10458,
      annotations: {},
      container: {
        command: ["/talos-cloud-controller-manager"],
        args: args("talos", "/etc/talos/ccm-config.yaml", 10458),
        volumeMounts: [
          { name: "cloud-config", mountPath: "/etc/talos", readOnly: true },
          { name: "talos-secrets", mountPath: "/var/run/secrets/talos.dev", readOnly: true },
        ],
      },
      volumes: [
        { name: "cloud-config", configMap: { name: `{{ include "${TALOS}.fullname" . }}`, defaultMode: 416 } },
        { name: "talos-secrets", secret: { secretName: `{{ include "${TALOS}.fullname" . }}-talos-secrets`, defaultMode: 416 } },
      ],
    }),
  }),
};

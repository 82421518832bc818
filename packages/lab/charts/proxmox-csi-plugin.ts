import type { LabChart } from "./chart.ts";
import { access, clusterAccess, clusterWide, imageOf, namespaced, ownNode, serviceAccount, standardNames } from "./parts.ts";
import { document, included, keysAnd, only, raw, type Template, tree, wholeTree } from "./template.ts";

const FULL = '{{ include "proxmox-csi-plugin.fullname" . }}';
const SOCKET = "--csi-address=unix:///csi/csi.sock";
const LOG = "-v={{ .Values.logVerbosityLevel }}";

const CLASSES = `{{- range $storage := .Values.storageClass }}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: {{ $storage.name | required "StorageClass name must be provided." }}
  {{- with $storage.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
provisioner: {{ $.Values.provisionerName }}
allowVolumeExpansion: true
volumeBindingMode: {{ default "WaitForFirstConsumer" $storage.volumeBindingMode }}
reclaimPolicy: {{ default "Delete" $storage.reclaimPolicy }}
parameters:
  csi.storage.k8s.io/fstype: {{ default "ext4" $storage.fstype }}
  storage: {{ $storage.storage | required "Proxmox Storage name must be provided." }}
  {{- with $storage.cache }}
  cache: {{ . }}
  {{- end }}
  {{- if $storage.ssd }}
  ssd: {{ $storage.ssd | quote }}
  {{- end }}
{{- end }}
`;

function container(name: string, image: string, args: readonly Template[], mounts: readonly Template[]): Template {
  return {
    name,
    image: imageOf(image),
    imagePullPolicy: `{{ ${image}.pullPolicy }}`,
    securityContext: wholeTree(".Values.securityContext"),
    args,
    volumeMounts: mounts,
  };
}

const inSocketDir = { name: "socket-dir", mountPath: "/csi" };
const hostPath = (name: string, path: string, type: string) => ({ name, hostPath: { path, type } });

const CONTROLLER = namespaced("apps/v1", "Deployment", `${FULL}-controller`, {
  spec: {
    replicas: raw(".Values.replicaCount"),
    selector: { matchLabels: included("proxmox-csi-plugin.selectorLabels", { "app.kubernetes.io/component": "controller" }) },
    template: {
      metadata: {
        annotations: keysAnd(".Values.controller.podAnnotations", {
          "checksum/config": "{{ toJson .Values.config | sha256sum }}",
        }),
        labels: included("proxmox-csi-plugin.selectorLabels", { "app.kubernetes.io/component": "controller" }),
      },
      spec: {
        priorityClassName: "{{ .Values.priorityClassName }}",
        serviceAccountName: `${FULL}-controller`,
        securityContext: wholeTree(".Values.podSecurityContext"),
        containers: [
          container(
            `${FULL}-controller`,
            ".Values.controller.plugin.image",
            [LOG, SOCKET, "--cloud-config={{ .Values.configFile }}"],
            [inSocketDir, { name: "cloud-config", mountPath: "/etc/proxmox/" }],
          ),
          container("csi-attacher", ".Values.controller.attacher.image", [LOG, SOCKET, "--leader-election"], [inSocketDir]),
          container("csi-provisioner", ".Values.controller.provisioner.image", [LOG, SOCKET, "--leader-election"], [inSocketDir]),
          container("csi-resizer", ".Values.controller.resizer.image", [LOG, SOCKET, "--leader-election"], [inSocketDir]),
          container("liveness-probe", ".Values.livenessprobe.image", [LOG, SOCKET], [inSocketDir]),
        ],
        volumes: [
          { name: "socket-dir", emptyDir: {} },
          {
            name: "cloud-config",
            secret: {
              secretName: '{{ .Values.existingConfigSecret | default (include "proxmox-csi-plugin.fullname" .) }}',
              items: only(".Values.existingConfigSecret", [
                { key: "{{ .Values.existingConfigSecretKey }}", path: "config.yaml" },
              ]),
            },
          },
        ],
        nodeSelector: tree(".Values.nodeSelector"),
        affinity: tree(".Values.affinity"),
        tolerations: tree(".Values.tolerations"),
      },
    },
  },
});

const NODE = namespaced("apps/v1", "DaemonSet", `${FULL}-node`, {
  spec: {
    updateStrategy: wholeTree(".Values.updateStrategy"),
    selector: { matchLabels: included("proxmox-csi-plugin.selectorLabels", { "app.kubernetes.io/component": "node" }) },
    template: {
      metadata: { labels: included("proxmox-csi-plugin.selectorLabels", { "app.kubernetes.io/component": "node" }) },
      spec: {
        priorityClassName: "system-node-critical",
        serviceAccountName: `${FULL}-node`,
        containers: [
          {
            name: `${FULL}-node`,
            image: imageOf(".Values.node.plugin.image"),
            imagePullPolicy: "{{ .Values.node.plugin.image.pullPolicy }}",
            securityContext: {
              privileged: true,
              capabilities: { drop: ["ALL"], add: ["SYS_ADMIN", "CHOWN", "DAC_OVERRIDE"] },
              seccompProfile: { type: "RuntimeDefault" },
            },
            args: [LOG, SOCKET, "--node-id=$(NODE_NAME)"],
            env: [ownNode("NODE_NAME")],
            volumeMounts: [
              { name: "socket", mountPath: "/csi" },
              { name: "kubelet", mountPath: "{{ .Values.node.kubeletDir }}", mountPropagation: "Bidirectional" },
              { name: "dev", mountPath: "/dev" },
              { name: "sys", mountPath: "/sys" },
            ],
          },
          container(
            "csi-node-driver-registrar",
            ".Values.node.driverRegistrar.image",
            [
              LOG,
              SOCKET,
              "--kubelet-registration-path={{ .Values.node.kubeletDir }}/plugins/{{ .Values.provisionerName }}/csi.sock",
            ],
            [
              { name: "socket", mountPath: "/csi" },
              { name: "registration", mountPath: "/registration" },
            ],
          ),
          container("liveness-probe", ".Values.livenessprobe.image", [LOG, SOCKET], [{ name: "socket", mountPath: "/csi" }]),
        ],
        volumes: [
          hostPath("socket", "{{ .Values.node.kubeletDir }}/plugins/{{ .Values.provisionerName }}/", "DirectoryOrCreate"),
          hostPath("registration", "{{ .Values.node.kubeletDir }}/plugins_registry/", "Directory"),
          hostPath("kubelet", "{{ .Values.node.kubeletDir }}", "Directory"),
          hostPath("dev", "/dev", "Directory"),
          hostPath("sys", "/sys", "Directory"),
        ],
        nodeSelector: tree(".Values.node.nodeSelector"),
        tolerations: tree(".Values.node.tolerations"),
      },
    },
  },
});

const image = (repository: string, tag = "") => ({ repository, pullPolicy: "IfNotPresent", tag });
const sidecar = (name: string, tag: string) => ({ image: image(`registry.k8s.io/sig-storage/${name}`, tag) });

/** sergelogvinov/proxmox-csi-plugin, charts/proxmox-csi-plugin. */
export const proxmoxCsiPlugin: LabChart = {
  name: "proxmox-csi-plugin",
  description: "Container Storage Interface plugin for Proxmox",
  homes: ["oci://ghcr.io/sergelogvinov/charts"],
  versions: [{ version: "0.5.9", app: "v0.19.1" }],
  values: () => ({
    replicaCount: 1,
    nameOverride: "",
    fullnameOverride: "",
    priorityClassName: "system-cluster-critical",
    provisionerName: "csi.proxmox.sinextra.dev",
    clusterID: "kubernetes",
    logVerbosityLevel: 5,
    existingConfigSecret: null,
    existingConfigSecretKey: "config.yaml",
    configFile: "/etc/proxmox/config.yaml",
    config: { features: { provider: "default" }, clusters: [] },
    storageClass: [],
    controller: {
      podAnnotations: {},
      plugin: { image: image("ghcr.io/sergelogvinov/proxmox-csi-controller") },
      attacher: sidecar("csi-attacher", "v4.10.0"),
      provisioner: sidecar("csi-provisioner", "v5.3.0"),
      resizer: sidecar("csi-resizer", "v1.14.0"),
    },
    node: {
      plugin: { image: image("ghcr.io/sergelogvinov/proxmox-csi-node") },
      driverRegistrar: sidecar("csi-node-driver-registrar", "v2.15.0"),
      kubeletDir: "/var/lib/kubelet",
      nodeSelector: {},
      tolerations: [
        { key: "karpenter.sh/disrupted", operator: "Exists", effect: "NoSchedule" },
        { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
        { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
      ],
    },
    livenessprobe: sidecar("livenessprobe", "v2.16.0"),
    podSecurityContext: { runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532 },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      seccompProfile: { type: "RuntimeDefault" },
      readOnlyRootFilesystem: true,
    },
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } },
    nodeSelector: {},
    tolerations: [],
    affinity: {},
  }),
  files: () => ({
    "templates/_helpers.tpl": standardNames("proxmox-csi-plugin"),
    "templates/access.yaml": [
      serviceAccount(`${FULL}-controller`),
      serviceAccount(`${FULL}-node`),
      clusterAccess(`${FULL}-controller`, `${FULL}-controller`, [
        "get,list,watch,create,patch,update,delete persistentvolumes",
        "get,list,watch,update,patch persistentvolumeclaims,persistentvolumeclaims/status",
        "get,list,watch,create,update,patch events",
        "get,list,watch nodes,pods",
        "storage.k8s.io: get,list,watch storageclasses,csinodes,volumeattachments",
        "storage.k8s.io: patch volumeattachments,volumeattachments/status",
      ]),
      clusterAccess(`${FULL}-node`, `${FULL}-node`, ["get nodes"]),
      access(`${FULL}-controller`, `${FULL}-controller`, ["coordination.k8s.io: get,watch,list,delete,update,create leases"]),
    ].join(""),
    "templates/secrets.yaml": document(
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: FULL, namespace: "{{ .Release.Namespace }}", labels: included("proxmox-csi-plugin.labels") },
        type: "Opaque",
        data: { "config.yaml": "{{ toYaml .Values.config | b64enc }}" },
      },
      "ne (len .Values.config.clusters) 0",
    ),
    "templates/storageclass.yaml": CLASSES,
    "templates/controller-deployment.yaml": CONTROLLER,
    "templates/node-deployment.yaml": NODE,
    "templates/csidriver.yaml": clusterWide("storage.k8s.io/v1", "CSIDriver", "{{ .Values.provisionerName }}", {
      spec: { attachRequired: true, podInfoOnMount: true, storageCapacity: true, volumeLifecycleModes: ["Persistent"] },
    }),
  }),
};

import type { LabChart } from "./chart.ts";
import { access, clusterAccess, imageOf, namespaced, serviceAccount, standardNames } from "./parts.ts";
import { document, included, only, raw, tree, wholeTree } from "./template.ts";

const FULL = '{{ include "local-path-provisioner.fullname" . }}';
const PROVISIONER =
  '{{ .Values.storageClass.provisionerName | default (printf "cluster.local/%s" (include "local-path-provisioner.fullname" .)) }}';

/** config.json as the program reads it, and the pod it makes folders with. */
const CONFIG = `{{- $namespace := .Release.Namespace }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Values.configmap.name }}
  namespace: {{ $namespace }}
  labels:
    {{- include "local-path-provisioner.labels" . | nindent 4 }}
data:
  config.json: |-
    {
      "nodePathMap": {{ .Values.nodePathMap | toJson }}
    }
  setup: |-
    {{- .Values.configmap.setup | nindent 4 }}
  teardown: |-
    {{- .Values.configmap.teardown | nindent 4 }}
  helperPod.yaml: |-
    apiVersion: v1
    kind: Pod
    metadata:
      name: {{ .Values.configmap.helperPod.name }}
      namespace: {{ $namespace }}
    spec:
      priorityClassName: {{ .Values.configmap.helperPod.priorityClassName }}
      containers:
        - name: helper-pod
          image: {{ .Values.helperImage.repository }}:{{ .Values.helperImage.tag }}
          imagePullPolicy: {{ .Values.image.pullPolicy }}
`;

/** rancher/local-path-provisioner, deploy/chart. */
export const localPathProvisioner: LabChart = {
  name: "local-path-provisioner",
  description: "Use HostPath for persistent local storage with Kubernetes",
  homes: ["oci://ghcr.io/rancher/local-path-provisioner/charts", "https://charts.containeroo.ch"],
  versions: [{ version: "0.0.37", app: "v0.0.37" }],
  kubeVersion: ">=1.16.0-r0",
  values: ({ app }) => ({
    replicaCount: 1,
    image: { repository: "docker.io/rancher/local-path-provisioner", tag: app, pullPolicy: "IfNotPresent" },
    helperImage: { repository: "docker.io/library/busybox", tag: "latest" },
    nameOverride: "",
    fullnameOverride: "",
    storageClass: {
      create: true,
      defaultClass: false,
      defaultVolumeType: "hostPath",
      name: "local-path",
      reclaimPolicy: "Delete",
      volumeBindingMode: "WaitForFirstConsumer",
      annotations: {},
    },
    nodePathMap: [{ node: "DEFAULT_PATH_FOR_NON_LISTED_NODES", paths: ["/opt/local-path-provisioner"] }],
    podAnnotations: {},
    securityContext: {},
    resources: {},
    nodeSelector: {},
    tolerations: [],
    affinity: {},
    configmap: {
      name: "local-path-config",
      setup: 'set -eu\nmkdir -m 0777 -p "$VOL_DIR"',
      teardown: 'set -eu\nrm -rf "$VOL_DIR"',
      helperPod: { name: "helper-pod", priorityClassName: "system-node-critical" },
    },
  }),
  files: () => ({
    "templates/_helpers.tpl": standardNames("local-path-provisioner"),
    "templates/serviceaccount.yaml": serviceAccount(FULL),
    "templates/rbac.yaml": [
      clusterAccess(FULL, FULL, [
        "get,list,watch nodes,persistentvolumeclaims,configmaps,pods,pods/log",
        "get,list,watch,create,patch,update,delete persistentvolumes",
        "create,patch events",
        "storage.k8s.io: get,list,watch storageclasses",
      ]),
      access(FULL, FULL, ["get,list,watch,create,patch,update,delete pods"]),
    ].join(""),
    "templates/configmap.yaml": CONFIG,
    "templates/storageclass.yaml": document(
      {
        apiVersion: "storage.k8s.io/v1",
        kind: "StorageClass",
        metadata: {
          name: "{{ .Values.storageClass.name }}",
          labels: included("local-path-provisioner.labels"),
          annotations: {
            "storageclass.kubernetes.io/is-default-class": "{{ .Values.storageClass.defaultClass }}",
            defaultVolumeType: "{{ .Values.storageClass.defaultVolumeType }}",
          },
        },
        provisioner: PROVISIONER,
        volumeBindingMode: "{{ .Values.storageClass.volumeBindingMode }}",
        reclaimPolicy: "{{ .Values.storageClass.reclaimPolicy }}",
        allowVolumeExpansion: true,
      },
      ".Values.storageClass.create",
    ),
    "templates/deployment.yaml": namespaced("apps/v1", "Deployment", FULL, {
      spec: {
        replicas: raw(".Values.replicaCount"),
        selector: { matchLabels: included("local-path-provisioner.selectorLabels") },
        template: {
          metadata: {
            labels: included("local-path-provisioner.selectorLabels"),
            annotations: { "checksum/config": "{{ toJson .Values.nodePathMap | sha256sum }}" },
          },
          spec: {
            serviceAccountName: FULL,
            containers: [
              {
                name: "local-path-provisioner",
                image: imageOf(".Values.image"),
                imagePullPolicy: "{{ .Values.image.pullPolicy }}",
                securityContext: wholeTree(".Values.securityContext"),
                command: [
                  ...["local-path-provisioner", "start", "--config", "/etc/config/config.json"],
                  ...["--service-account-name", FULL, "--provisioner-name", PROVISIONER],
                  ...["--helper-image", "{{ .Values.helperImage.repository }}:{{ .Values.helperImage.tag }}"],
                  ...["--configmap-name", "{{ .Values.configmap.name }}"],
                ],
                env: [{ name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } }],
                resources: only(".Values.resources", wholeTree(".Values.resources")),
                volumeMounts: [{ name: "config-volume", mountPath: "/etc/config/" }],
              },
            ],
            volumes: [{ name: "config-volume", configMap: { name: "{{ .Values.configmap.name }}" } }],
            nodeSelector: tree(".Values.nodeSelector"),
            affinity: tree(".Values.affinity"),
            tolerations: tree(".Values.tolerations"),
          },
        },
      },
    }),
  }),
};

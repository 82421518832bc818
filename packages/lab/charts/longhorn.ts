import type { LabChart } from "./chart.ts";
import { definitions } from "./definitions.ts";
import { access, clusterAccess, clusterWide, NAMESPACE, namespaced, service, serviceAccount } from "./parts.ts";
import { document, only, raw, type Template, tree } from "./template.ts";

const KINDS =
  `BackingImageDataSource lhbids, BackingImageManager lhbim, BackingImage lhbi, BackupBackingImage lhbbi, Backup lhb, BackupTarget lhbt,
BackupVolume lhbv, EngineImage lhei, Engine lhe, InstanceManager lhim, Node lhn, Orphan lho, RecurringJob lhrj, Replica lhr, Setting lhs,
ShareManager lhsm, Snapshot lhsnap, SupportBundle lhbundle, SystemBackup lhsb, SystemRestore lhsr, VolumeAttachment lhva, Volume lhv`
    .split(/,\s*/)
    .map((line) => line.split(" "));

const DEFINITIONS = definitions(
  KINDS.map(([kind = "", short = ""]) => ({
    group: "longhorn.io",
    kind,
    versions: ["v1beta2"],
    short: [short],
    ...(kind === "Setting" && { beside: { value: "string" } }),
  })),
);

const ACCOUNT = "longhorn-service-account";
const image = (of: string) => `{{ .Values.image.longhorn.${of}.repository }}:{{ .Values.image.longhorn.${of}.tag }}`;
const MANAGER = image("manager");

/** The class itself is made by the driver deployer out of this. */
const CLASS = `{{- if .Values.persistence.createStorageClass }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: longhorn-storageclass
  namespace: {{ .Release.Namespace }}
data:
  storageclass.yaml: |
    kind: StorageClass
    apiVersion: storage.k8s.io/v1
    metadata:
      name: longhorn
      annotations:
        storageclass.kubernetes.io/is-default-class: {{ .Values.persistence.defaultClass | quote }}
    provisioner: driver.longhorn.io
    allowVolumeExpansion: true
    reclaimPolicy: "{{ .Values.persistence.reclaimPolicy }}"
    volumeBindingMode: {{ .Values.persistence.volumeBindingMode | default "Immediate" }}
    parameters:
      numberOfReplicas: "{{ .Values.persistence.defaultClassReplicaCount }}"
      staleReplicaTimeout: "30"
      fromBackup: ""
      fsType: "{{ .Values.persistence.defaultFsType }}"
      dataLocality: {{ .Values.persistence.defaultDataLocality | quote }}
{{- end }}
`;

const SETTINGS = `---
apiVersion: v1
kind: ConfigMap
metadata:
  name: longhorn-default-setting
  namespace: {{ .Release.Namespace }}
data:
  default-setting.yaml: |-
    {{- if not (kindIs "invalid" .Values.defaultSettings.createDefaultDiskLabeledNodes) }}
    create-default-disk-labeled-nodes: {{ .Values.defaultSettings.createDefaultDiskLabeledNodes }}
    {{- end }}
    {{- if not (kindIs "invalid" .Values.defaultSettings.defaultDataPath) }}
    default-data-path: {{ .Values.defaultSettings.defaultDataPath | quote }}
    {{- end }}
    {{- if not (kindIs "invalid" .Values.defaultSettings.defaultReplicaCount) }}
    default-replica-count: {{ .Values.defaultSettings.defaultReplicaCount | toString | quote }}
    {{- end }}
    {{- if not (kindIs "invalid" .Values.defaultSettings.defaultDataLocality) }}
    default-data-locality: {{ .Values.defaultSettings.defaultDataLocality | quote }}
    {{- end }}
    {{- if not (kindIs "invalid" .Values.defaultSettings.deletingConfirmationFlag) }}
    deleting-confirmation-flag: {{ .Values.defaultSettings.deletingConfirmationFlag }}
    {{- end }}
    priority-class: {{ .Values.defaultSettings.priorityClass | quote }}
`;

const hostPath = (name: string, path: string) => ({ name, hostPath: { path } });

const DAEMON = namespaced("apps/v1", "DaemonSet", "longhorn-manager", {
  spec: {
    selector: { matchLabels: { app: "longhorn-manager" } },
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "100%" } },
    template: {
      metadata: {
        labels: {
          app: "longhorn-manager",
          "longhorn.io/admission-webhook": "longhorn-admission-webhook",
          "longhorn.io/recovery-backend": "longhorn-recovery-backend",
        },
      },
      spec: {
        containers: [
          {
            name: "longhorn-manager",
            image: MANAGER,
            imagePullPolicy: "{{ .Values.image.pullPolicy }}",
            securityContext: { privileged: true },
            command: [
              ...["longhorn-manager", "-d", "daemon", "--engine-image", image("engine")],
              ...["--instance-manager-image", image("instanceManager"), "--share-manager-image", image("shareManager")],
              ...["--manager-image", MANAGER, "--service-account", ACCOUNT],
            ],
            ports: [
              { name: "manager", containerPort: 9500 },
              { name: "admission-wh", containerPort: 9502 },
              { name: "recov-backend", containerPort: 9503 },
            ],
            readinessProbe: { httpGet: { path: "/v1/healthz", port: 9502, scheme: "HTTPS" } },
            env: [
              { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
              { name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
            ],
            volumeMounts: [
              { name: "boot", mountPath: "/host/boot/", readOnly: true },
              { name: "dev", mountPath: "/host/dev/" },
              { name: "proc", mountPath: "/host/proc/", readOnly: true },
              { name: "etc", mountPath: "/host/etc/", readOnly: true },
              { name: "longhorn", mountPath: "/var/lib/longhorn/", mountPropagation: "Bidirectional" },
            ],
          },
          {
            name: "pre-pull-share-manager-image",
            image: image("shareManager"),
            command: ["sh", "-c", "echo share-manager image pulled && sleep infinity"],
          },
        ],
        volumes: [
          hostPath("boot", "/boot/"),
          hostPath("dev", "/dev/"),
          hostPath("proc", "/proc/"),
          hostPath("etc", "/etc/"),
          hostPath("longhorn", "/var/lib/longhorn/"),
        ],
        priorityClassName: only(".Values.defaultSettings.priorityClass", "{{ .Values.defaultSettings.priorityClass }}"),
        serviceAccountName: ACCOUNT,
        tolerations: tree(".Values.longhornManager.tolerations"),
        nodeSelector: tree(".Values.longhornManager.nodeSelector"),
      },
    },
  },
});

const DEPLOYER = namespaced("apps/v1", "Deployment", "longhorn-driver-deployer", {
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "longhorn-driver-deployer" } },
    template: {
      metadata: { labels: { app: "longhorn-driver-deployer" } },
      spec: {
        containers: [
          {
            name: "longhorn-driver-deployer",
            image: MANAGER,
            command: [
              "longhorn-manager",
              "-d",
              "deploy-driver",
              "--manager-image",
              MANAGER,
              "--manager-url",
              "http://longhorn-backend:9500/v1",
            ],
            env: [{ name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } }],
          },
        ],
        serviceAccountName: ACCOUNT,
      },
    },
  },
});

const UI = namespaced("apps/v1", "Deployment", "longhorn-ui", {
  spec: {
    replicas: raw(".Values.longhornUI.replicas"),
    selector: { matchLabels: { app: "longhorn-ui" } },
    template: {
      metadata: { labels: { app: "longhorn-ui" } },
      spec: {
        serviceAccountName: "longhorn-ui-service-account",
        containers: [{ name: "longhorn-ui", image: image("ui"), ports: [{ name: "http", containerPort: 8000 }] }],
      },
    },
  },
});

/** Jobs around an upgrade and a removal. Removal is refused until a setting allows it. */
function job(
  name: string,
  hook: string,
  command: readonly string[],
  policy: string,
  more: Readonly<Record<string, Template>> = {},
): string {
  return document({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace: NAMESPACE, annotations: { "helm.sh/hook": hook, "helm.sh/hook-delete-policy": policy } },
    spec: {
      activeDeadlineSeconds: 900,
      backoffLimit: 1,
      template: {
        spec: {
          restartPolicy: "Never",
          serviceAccountName: ACCOUNT,
          containers: [
            {
              name,
              image: MANAGER,
              command: ["longhorn-manager", ...command],
              env: [{ name: "LONGHORN_NAMESPACE", value: NAMESPACE }],
              ...more,
            },
          ],
        },
      },
    },
  });
}

const repository = (name: string, tag: string) => ({ registry: "", repository: `longhornio/${name}`, tag });

/** longhorn/longhorn, chart/. */
export const longhorn: LabChart = {
  name: "longhorn",
  description: "Longhorn is a distributed block storage system for Kubernetes.",
  homes: ["https://charts.longhorn.io"],
  versions: [{ version: "1.12.1", app: "v1.12.1" }],
  kubeVersion: ">=1.25.0-0",
  values: ({ app }) => ({
    global: { tolerations: [], nodeSelector: {} },
    image: {
      longhorn: {
        engine: repository("longhorn-engine", app),
        manager: repository("longhorn-manager", app),
        ui: repository("longhorn-ui", app),
        instanceManager: repository("longhorn-instance-manager", app),
        shareManager: repository("longhorn-share-manager", app),
      },
      pullPolicy: "IfNotPresent",
    },
    persistence: {
      createStorageClass: true,
      defaultClass: true,
      defaultFsType: "ext4",
      defaultClassReplicaCount: 3,
      defaultDataLocality: "disabled",
      reclaimPolicy: "Delete",
      volumeBindingMode: "Immediate",
    },
    preUpgradeChecker: { jobEnabled: true, upgradeVersionCheck: true },
    csi: { kubeletRootDir: null },
    defaultSettings: {
      createDefaultDiskLabeledNodes: null,
      defaultDataPath: null,
      defaultReplicaCount: null,
      defaultDataLocality: null,
      deletingConfirmationFlag: null,
      priorityClass: "longhorn-critical",
    },
    longhornManager: { tolerations: [], nodeSelector: {} },
    longhornUI: { replicas: 2 },
  }),
  files: () => ({
    "templates/priorityclass.yaml": clusterWide("scheduling.k8s.io/v1", "PriorityClass", "longhorn-critical", {
      description:
        "Ensure Longhorn pods have the highest priority to prevent any unexpected eviction by the Kubernetes scheduler under node pressure",
      globalDefault: false,
      preemptionPolicy: "PreemptLowerPriority",
      value: 1000000000,
    }),
    "templates/access.yaml": [
      serviceAccount(ACCOUNT),
      serviceAccount("longhorn-ui-service-account"),
      clusterAccess("longhorn-role", ACCOUNT, [
        "apiextensions.k8s.io: * customresourcedefinitions",
        "get,list,watch,delete pods",
        "get,list,watch secrets,services,endpoints,configmaps,serviceaccounts",
        "* events,persistentvolumes,persistentvolumeclaims,nodes",
        "get,list namespaces",
        "storage.k8s.io: * storageclasses,volumeattachments,csinodes,csidrivers",
        "longhorn.io: * *",
        "admissionregistration.k8s.io: get,list,create,patch,delete mutatingwebhookconfigurations,validatingwebhookconfigurations",
      ]),
      access("longhorn", ACCOUNT, [
        "* pods,services,configmaps,secrets",
        "apps: * daemonsets,deployments",
        "batch: * jobs,cronjobs",
      ]),
    ].join(""),
    "templates/crds.yaml": DEFINITIONS,
    "templates/default-setting.yaml": SETTINGS,
    "templates/storageclass.yaml": CLASS,
    "templates/services.yaml": [
      service("longhorn-backend", { app: "longhorn-manager" }, [{ name: "manager", port: 9500 }]),
      service("longhorn-frontend", { app: "longhorn-ui" }, [{ name: "http", port: 80 }]),
      service("longhorn-admission-webhook", { "longhorn.io/admission-webhook": "longhorn-admission-webhook" }, [
        { name: "admission-webhook", port: 9502, target: "admission-wh" },
      ]),
    ].join(""),
    "templates/daemonset-sa.yaml": DAEMON,
    "templates/deployment-driver.yaml": DEPLOYER,
    "templates/deployment-ui.yaml": UI,
    "templates/preupgrade-job.yaml": `{{- if .Values.preUpgradeChecker.jobEnabled }}\n${job("longhorn-pre-upgrade", "pre-upgrade", ["pre-upgrade"], "hook-succeeded,before-hook-creation,hook-failed")}{{- end }}\n`,
    "templates/postupgrade-job.yaml": job(
      "longhorn-post-upgrade",
      "post-upgrade",
      ["post-upgrade"],
      "hook-succeeded,before-hook-creation",
    ),
    "templates/uninstall-job.yaml": job("longhorn-uninstall", "pre-delete", ["uninstall", "--force"], "hook-succeeded"),
    "templates/NOTES.txt": "Longhorn is now installed on the cluster!\n",
  }),
};

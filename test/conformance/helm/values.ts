/** Values that switch on what the charts have, by chart. */
export const VALUES: Readonly<Record<string, readonly object[]>> = {
  cilium: [
    {},
    {
      ipam: { mode: "kubernetes" },
      kubeProxyReplacement: true,
      k8sServiceHost: "localhost",
      k8sServicePort: 7445,
      cgroup: { autoMount: { enabled: false }, hostRoot: "/sys/fs/cgroup" },
      operator: { replicas: 1 },
      hubble: { relay: { enabled: true }, ui: { enabled: true }, tls: { auto: { method: "cronJob" } } },
      certgen: { tolerations: [{ operator: "Exists" }] },
      gatewayAPI: { enabled: true, enableAlpn: true },
      l2announcements: { enabled: true },
      bgpControlPlane: { enabled: true },
      k8sClientRateLimit: { qps: 50, burst: 100 },
    },
    { kubeProxyReplacement: 7, cgroup: { autoMount: "no" } },
  ],
  flux2: [{}, { installCRDs: false, imageAutomationController: { create: false }, multitenancy: { privileged: false } }],
  "argo-cd": [
    {},
    { dex: { enabled: false }, notifications: { enabled: false }, controller: { replicas: 2 }, fullnameOverride: "cd" },
  ],
  "metrics-server": [{}, { args: ["--kubelet-insecure-tls"], replicas: 2, tolerations: [{ operator: "Exists" }] }],
  "nvidia-device-plugin": [{}, { runtimeClassName: "nvidia", gfd: { enabled: true } }],
  "gpu-operator": [
    {},
    {
      driver: { enabled: false },
      toolkit: { enabled: false },
      hostPaths: { driverInstallDir: "/usr/local" },
      nfd: { enabled: false },
    },
  ],
  "k8s-monitoring": [
    { cluster: { name: "homelab" }, collectors: { "alloy-singleton": { presets: ["small", "singleton"] } } },
    {
      cluster: { name: "homelab" },
      destinations: {
        metrics: {
          type: "prometheus",
          url: "https://example.org/push",
          auth: { type: "basic", username: "1", password: "geheim" },
        },
        logs: { type: "loki", url: "https://example.org/loki" },
      },
      clusterMetrics: { enabled: true, collector: "alloy-metrics" },
      podLogsViaLoki: { enabled: true, collector: "alloy-logs" },
      collectors: {
        "alloy-metrics": { presets: ["small", "clustered", "statefulset"] },
        "alloy-logs": { presets: ["filesystem-log-reader", "daemonset"] },
      },
      telemetryServices: { "kube-state-metrics": { deploy: true }, "node-exporter": { deploy: true } },
    },
    {},
    { cluster: { name: "homelab" }, collectors: { a: { presets: ["nope"] } } },
    { cluster: { name: 5 }, destinations: { x: { type: "fax" } } },
  ],
  longhorn: [
    {},
    {
      persistence: { defaultClass: false, defaultClassReplicaCount: 2 },
      defaultSettings: { defaultDataPath: "/var/mnt/longhorn", defaultReplicaCount: 2 },
    },
  ],
  "local-path-provisioner": [
    {},
    {
      storageClass: { defaultClass: true },
      nodePathMap: [{ node: "DEFAULT_PATH_FOR_NON_LISTED_NODES", paths: ["/var/mnt/local"] }],
    },
  ],
  "proxmox-csi-plugin": [
    {},
    {
      config: {
        clusters: [{ url: "https://pve/api2/json", insecure: true, token_id: "a@pve!b", token_secret: "c", region: "homelab" }],
      },
      storageClass: [
        {
          name: "fast",
          storage: "local-lvm",
          reclaimPolicy: "Retain",
          annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
        },
        { name: "slow", storage: "nfs", ssd: true },
      ],
    },
    { storageClass: [{ name: "fast" }] },
    { existingConfigSecret: "access", controller: { podAnnotations: { checksum: "1" } } },
  ],
  "proxmox-cloud-controller-manager": [
    {},
    { config: { clusters: [{ region: "homelab" }] }, useDaemonSet: true },
    { existingConfigSecret: "access", existingConfigSecretKey: "key", podAnnotations: { checksum: "1" } },
  ],
  "talos-cloud-controller-manager": [{}, { enabledControllers: ["cloud-node"], daemonSet: { enabled: true } }],
  "cert-manager": [
    {},
    { crds: { enabled: true, keep: true }, replicaCount: 2, startupapicheck: { enabled: false } },
    { crds: { enabled: true, keep: false }, cainjector: { enabled: false } },
    { bogus: 1, crds: { enabled: "yes" } },
    { webhook: { replicaCount: "two" } },
  ],
};

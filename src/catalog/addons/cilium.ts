/** talos.md 9 and oci-vps-gitops.md 4.7: what Cilium must be told on Talos, with its own proxy in the place of kube-proxy. */
export const CILIUM_ON_TALOS = {
  ipam: { mode: "kubernetes" },
  kubeProxyReplacement: true,
  // KubePrism: there is no service network before Cilium makes one.
  k8sServiceHost: "localhost",
  k8sServicePort: 7445,
  securityContext: {
    capabilities: {
      // The chart's own list without SYS_MODULE, which Talos gives to nobody.
      ciliumAgent: [
        "CHOWN",
        "KILL",
        "NET_ADMIN",
        "NET_RAW",
        "IPC_LOCK",
        "SYS_ADMIN",
        "SYS_RESOURCE",
        "DAC_OVERRIDE",
        "FOWNER",
        "SETGID",
        "SETUID",
      ],
      cleanCiliumState: ["NET_ADMIN", "SYS_ADMIN", "SYS_RESOURCE"],
    },
  },
  // Talos has mounted it already.
  cgroup: { autoMount: { enabled: false }, hostRoot: "/sys/fs/cgroup" },
} as const;

/** Operators never share a node, so on one node the second of the chart's two would wait for ever. */
export const CILIUM_OPERATORS = 2;

export const CILIUM = {
  release: "cilium",
  namespace: "kube-system",
  chart: "cilium",
  agent: { namespace: "kube-system", name: "cilium", pods: "k8s-app=cilium" },
  operator: { namespace: "kube-system", name: "cilium-operator", pods: "name=cilium-operator" },
} as const;

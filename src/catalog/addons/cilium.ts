import type { AddonPart, ChartOptions, ClusterFacts, DownloadPart, Preset, Values } from "./addon.ts";
import { isBefore } from "./chart-version.ts";
import { type AddressOptions, addressObjects } from "./cilium-addresses.ts";
import { mergeValues } from "./merge-values.ts";
import { releaseOf } from "./release-of.ts";

export interface CiliumOptions extends ChartOptions, AddressOptions {
  /** Hubble's relay and web UI, which show network traffic. */
  readonly hubble?: boolean;
  readonly gatewayApi?: boolean | { readonly version?: string };
}

/** The values that Cilium needs on Talos, with its own kube-proxy replacement (docs/facts/kubernetes.md#cilium-on-talos). */
const ON_TALOS = {
  ipam: { mode: "kubernetes" },
  kubeProxyReplacement: true,
  // KubePrism: there is no service network before Cilium runs.
  k8sServiceHost: "localhost",
  k8sServicePort: 7445,
  securityContext: {
    capabilities: {
      // The chart's own list without SYS_MODULE, which Talos grants to no container.
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

/** The chart's two operators never share a node, so on a single node the second one would stay pending. */
const OPERATORS = 2;

export const cilium: Preset<CiliumOptions> = {
  chart: {
    name: "cilium",
    namespace: "kube-system",
    chart: "cilium",
    repository: "https://helm.cilium.io",
    version: "1.20.1",
  },
  make: (options, facts) => {
    const release = releaseOf({ chart: cilium.chart, options, values: valuesOf(options, facts) });
    const objects = addressObjects(options, release.version);
    const after: AddonPart[] = objects.length > 0 ? [{ kind: "objects", name: "addresses", objects }] : [];
    return { parts: [...gatewayCrds(options, release.version), release, ...after], machines: {} };
  },
};

function valuesOf(options: CiliumOptions, { controlPlanes, workers, podSubnets }: ClusterFacts): Values {
  const { hubble = false, loadBalancer, bgp, gatewayApi = false } = options;
  const v6 = podSubnets.some((subnet) => subnet.includes(":"));
  const v4 = podSubnets.some((subnet) => !subnet.includes(":"));
  const chosen: Values = {
    operator: { replicas: Math.min(controlPlanes + workers, OPERATORS) },
    ...(v6 && { ipv6: { enabled: true } }),
    ...(v6 && !v4 && { ipv4: { enabled: false } }),
    ...(hubble && HUBBLE),
    ...(loadBalancer?.announce === "l2" && L2),
    ...(bgp && { bgpControlPlane: { enabled: true } }),
    // docs/facts/kubernetes.md#cilium-on-talos
    ...(gatewayApi !== false && { gatewayAPI: { enabled: true, enableAlpn: true, enableAppProtocol: true } }),
  };
  return mergeValues(ON_TALOS, chosen);
}

/** Tolerates the taint of nodes that wait for a cloud controller, which is installed after the network. */
const tolerations = [{ key: "node.cloudprovider.kubernetes.io/uninitialized", operator: "Exists", effect: "NoSchedule" }];

/** Uses the chart's CronJob for certificates, which renews them; those made by Helm would expire after a year. */
const HUBBLE: Values = {
  hubble: {
    enabled: true,
    relay: { enabled: true, tolerations },
    ui: { enabled: true, tolerations },
    tls: { auto: { method: "cronJob" } },
  },
  certgen: { tolerations },
};

/** Every address is a lease that its node renews, which soon exceeds the chart's limit of 10 requests a second (Cilium's page on L2 announcements). */
const L2 = { l2announcements: { enabled: true }, k8sClientRateLimit: { qps: 50, burst: 100 } } as const;

/** The Gateway API version that each Cilium release was tested with, from its documentation, newest first. */
const GATEWAY_API = [
  { since: "1.20.0", version: "v1.6.1" },
  { since: "1.19.0", version: "v1.4.1" },
  { since: "1.18.0", version: "v1.3.0" },
  { since: "0.0.0", version: "v1.2.0" },
] as const;

/** The chart creates its GatewayClass only when the kind already exists. */
function gatewayCrds({ gatewayApi = false }: CiliumOptions, cilium: string): DownloadPart[] {
  if (gatewayApi === false) return [];
  const asked = gatewayApi === true ? undefined : gatewayApi.version;
  const version = asked ?? GATEWAY_API.find(({ since }) => !isBefore(cilium, since))?.version;
  const url = `https://github.com/kubernetes-sigs/gateway-api/releases/download/${version}/standard-install.yaml`;
  return [{ kind: "download", name: "gateway-api", url }];
}

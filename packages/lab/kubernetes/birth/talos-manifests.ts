import type { SimulatedCluster } from "../cluster.ts";
import { serviceAddress } from "../defaults/services.ts";
import type { Loose, Manifest } from "../objects.ts";

const EVERYTHING = [{ operator: "Exists" }];
const NAMESPACE = "kube-system";

function account(name: string): Manifest {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: NAMESPACE } };
}

function grant(name: string, role: string, accountName: string): Manifest {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    subjects: [{ kind: "ServiceAccount", name: accountName, namespace: NAMESPACE }],
  };
}

function coreDns({ settings }: SimulatedCluster): Manifest[] {
  const labels = { "k8s-app": "kube-dns" };
  const corefile = `.:53 {\n    errors\n    health\n    ready\n    kubernetes ${settings.dnsDomain} in-addr.arpa ip6.arpa {\n        pods insecure\n        fallthrough in-addr.arpa ip6.arpa\n    }\n    forward . /etc/resolv.conf\n    cache 30\n    reload\n    loadbalance\n}\n`;
  return [
    account("coredns"),
    grant("system:coredns", "system:coredns", "coredns"),
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "coredns", namespace: NAMESPACE }, data: { Corefile: corefile } },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "coredns", namespace: NAMESPACE, labels: { ...labels, "kubernetes.io/name": "CoreDNS" } },
      spec: {
        replicas: 2,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } },
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            serviceAccountName: "coredns",
            priorityClassName: "system-cluster-critical",
            tolerations: [
              { key: "node-role.kubernetes.io/control-plane", operator: "Exists", effect: "NoSchedule" },
              { key: "node.cloudprovider.kubernetes.io/uninitialized", operator: "Exists", effect: "NoSchedule" },
            ],
            dnsPolicy: "Default",
            containers: [
              {
                name: "coredns",
                image: "registry.k8s.io/coredns/coredns:v1.13.1",
                args: ["-conf", "/etc/coredns/Corefile"],
                ports: [
                  { containerPort: 53, name: "dns", protocol: "UDP" },
                  { containerPort: 53, name: "dns-tcp", protocol: "TCP" },
                  { containerPort: 9153, name: "metrics", protocol: "TCP" },
                ],
                readinessProbe: { httpGet: { path: "/ready", port: 8181 } },
                volumeMounts: [{ name: "config-volume", mountPath: "/etc/coredns", readOnly: true }],
              },
            ],
            volumes: [{ name: "config-volume", configMap: { name: "coredns", items: [{ key: "Corefile", path: "Corefile" }] } }],
          },
        },
      },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: {
        name: "kube-dns",
        namespace: NAMESPACE,
        labels: { ...labels, "kubernetes.io/cluster-service": "true", "kubernetes.io/name": "CoreDNS" },
      },
      spec: {
        selector: labels,
        clusterIP: serviceAddress(settings.serviceSubnets, 10),
        ports: [
          { name: "dns", port: 53, protocol: "UDP" },
          { name: "dns-tcp", port: 53, protocol: "TCP" },
          { name: "metrics", port: 9153, protocol: "TCP" },
        ],
      },
    },
  ];
}

function daemonSet(name: string, labels: Record<string, string>, container: Loose, accountName: string): Manifest {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name, namespace: NAMESPACE, labels },
    spec: {
      selector: { matchLabels: labels },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } },
      template: {
        metadata: { labels },
        spec: {
          hostNetwork: true,
          priorityClassName: "system-node-critical",
          serviceAccountName: accountName,
          tolerations: EVERYTHING,
          containers: [container],
        },
      },
    },
  };
}

function kubeProxy({ settings }: SimulatedCluster): Manifest[] {
  const container = {
    name: "kube-proxy",
    image: `registry.k8s.io/kube-proxy:${settings.kubernetes}`,
    command: ["/usr/local/bin/kube-proxy", `--cluster-cidr=${settings.podSubnets.join(",")}`, "--proxy-mode=nftables"],
    securityContext: { privileged: true },
  };
  return [
    account("kube-proxy"),
    grant("kube-proxy", "system:node-proxier", "kube-proxy"),
    daemonSet("kube-proxy", { tier: "node", "k8s-app": "kube-proxy" }, container, "kube-proxy"),
  ];
}

function flannel(): Manifest[] {
  const container = {
    name: "kube-flannel",
    image: "ghcr.io/siderolabs/flannel:v0.27.4",
    command: ["/opt/bin/flanneld", "--ip-masq", "--kube-subnet-mgr"],
    securityContext: { capabilities: { add: ["NET_ADMIN", "NET_RAW"] } },
  };
  return [
    account("flannel"),
    grant("flannel", "flannel", "flannel"),
    daemonSet("kube-flannel", { tier: "node", "k8s-app": "flannel" }, container, "flannel"),
  ];
}

/** The manifests that Talos applies once the API answers, besides the inline manifests of its config. */
export function talosManifests(cluster: SimulatedCluster): Manifest[] {
  const { cni, proxy, coreDns: dns } = cluster.settings;
  return [...(dns ? coreDns(cluster) : []), ...(proxy ? kubeProxy(cluster) : []), ...(cni === "flannel" ? flannel() : [])];
}

import * as ip from "./ip-words.ts";
import * as kubernetes from "./kubernetes-words.ts";
import { choice, flag, list, section, text, type Wrong } from "./value.ts";
import * as words from "./words.ts";

/** The roles of Talos's role package; the last two exist since Talos 1.13. */
const ROLES = [
  "os:reader",
  "os:operator",
  "os:admin",
  "os:etcd:backup",
  "os:impersonator",
  "os:image:verifier",
  "os:meta:writer",
] as const;

const subnets = (what: string, examples: string, byDefault: string) =>
  list(text({ about: "A network.", example: byDefault, check: ip.network }), {
    about: `Networks of the ${what}: one, or one of each address family, with the nodes' first family first. By default ${byDefault}, and with IPv6 ${examples}.`,
    example: `[${byDefault}]`,
    check: (items) =>
      items.length === 0 || items.length > 2
        ? { says: "must name one network, or one of each family", hint: `write such as [${byDefault}]` }
        : words.noneTwice(items),
  }).optional();

const several = (items: readonly string[]): Wrong | undefined =>
  items.length === 0 ? { says: "is empty", hint: "name at least one, or remove talosApiAccess" } : words.noneTwice(items);

export const cluster = section("The Kubernetes cluster.", {
  name: text({
    about: "Name of the cluster. It is part of every machine's mark and cannot be changed later.",
    example: "homelab",
    pattern: words.NAME,
    check: words.name,
  }),
  endpoint: text({
    about:
      "Address of the Kubernetes API: an unused address of network.cidr (it becomes a virtual IP of the control planes), a control plane's address, a load balancer's address or a DNS name.",
    example: "10.10.0.5",
    check: ip.addressOrName,
  }),
  vip: text({
    about: "Virtual IP of the control planes, when the endpoint is a DNS name or a load balancer in front of it.",
    example: "10.10.0.5",
    check: ip.ip,
  }).optional(),
  talos: text({
    about: "Full Talos version, of the releases 1.12, 1.13 and 1.14.",
    example: "v1.13.9",
    pattern: /^v1\.(12|13|14)\.\d+(-(alpha|beta|rc)\.\d+)?$/,
    check: words.talosVersion,
  }),
  kubernetes: text({
    about: "Full Kubernetes version. By default the one this Talos release was tested with.",
    example: "v1.36.3",
    pattern: /^v1\.\d+\.\d+(-(alpha|beta|rc)\.\d+)?$/,
    check: words.kubernetesVersion,
  }).optional(),
  contract: text({
    about:
      "Talos minor version whose config format is written, not newer than talos. Do not change it when you upgrade Talos. By default the minor version of talos.",
    example: "v1.13",
    pattern: /^v1\.(12|13|14)$/,
    check: (value) =>
      /^v\d+\.\d+$/.test(value) ? undefined : { says: "is not a minor version", hint: "write major and minor, such as v1.13" },
  }).optional(),
  cni: choice({
    about:
      "Pod network: flannel comes with Talos; cilium also replaces kube-proxy; none leaves the installation to you, and nodes are NotReady until then.",
    of: ["cilium", "flannel", "none"],
    byDefault: "flannel",
  }).optional(),
  scheduleOnControlPlanes: flag({
    about: "Whether ordinary workloads may run on control planes. By default only when there are no workers.",
  }).optional(),
  podSubnets: subnets("pods", "fc00:db8:10::/56", "10.244.0.0/16"),
  serviceSubnets: subnets("services", "fc00:db8:20::/112", "10.96.0.0/12"),
  dnsDomain: text({
    about: "DNS domain inside the cluster.",
    example: "cluster.local",
    byDefault: "cluster.local",
    check: ip.domain,
  }).optional(),
  certSANs: list(text({ about: "A name or address.", example: "k8s.home.arpa", check: ip.certificateName }), {
    about:
      "Additional names and addresses for the certificates of the Kubernetes and Talos APIs. The endpoint, the VIP and the nodes are always included.",
    example: "[k8s.home.arpa]",
    byDefault: [],
    check: words.noneTwice,
  }).optional(),
  kubeletCertificates: flag({
    about:
      "Whether kubelets request their serving certificates from the cluster. A controller in the cluster must approve them, otherwise logs and exec do not work.",
    byDefault: false,
  }).optional(),
  talosApiAccess: section("Access to the Talos API for pods.", {
    roles: list(choice({ about: "A Talos role.", of: ROLES }), {
      about: "Talos roles that pods may use.",
      example: "[os:reader]",
      check: several,
    }),
    namespaces: list(text({ about: "A namespace.", example: "kube-system", check: kubernetes.namespace }), {
      about: "Namespaces whose pods have access.",
      example: "[kube-system]",
      check: several,
    }),
  }).optional(),
  externalCloudProvider: flag({
    about: "Whether a cloud controller initialises the nodes; until then they accept no workloads.",
    byDefault: false,
  }).optional(),
  discovery: flag({
    about: "Whether nodes find each other through Talos's discovery service.",
    byDefault: true,
  }).optional(),
  kubespan: flag({
    about:
      "Whether nodes communicate through WireGuard (KubeSpan), which needs discovery. By default false; at a provider true when the nodes are in different networks.",
  }).optional(),
});

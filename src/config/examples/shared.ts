import { PRESETS } from "../../catalog/addons/presets.ts";
import { compatibilityOf } from "../../catalog/compatibility.ts";
import { defaultKubernetes } from "../../catalog/talos-versions.ts";
import { minorOf, parseVersion } from "../../catalog/version.ts";
import type { Platforms } from "../platform.ts";
import type { Answers } from "./answers.ts";
import { word, words } from "./text.ts";

/** The parts that every platform's example has. */

export function head({ available }: Platforms, what: string, platform: string): string {
  const all = available.map(({ name, about }) => `${name} ${about}`).join(", ");
  return `# yaml-language-server: $schema=../../schema/config.schema.json
#
# ${what}
#
# A value can come from an environment variable, \${env:NAME}, or from a file beside this one, \${file:PATH}.
# Sizes have a unit: MiB, GiB or TiB. A line that begins with # shows a default or an alternative.

platform: ${platform} § platform of the machines: ${all}

# extends: ../base.yaml § merge this file over another: sections are merged, lists replaced
`;
}

/** Where an address can float between the control planes. */
function floating({ endpoint }: Pick<Answers, "endpoint">): string {
  return `  endpoint: ${word(endpoint)} § an unused address (becomes a virtual IP of the control planes), a DNS name or a load balancer
  # vip: ${word(endpoint)} § the virtual IP, when the endpoint is a DNS name or a load balancer`;
}

type ClusterAnswers = Pick<Answers, "name" | "talos" | "endpoint" | "cni">;

export function cluster({ available }: Platforms, answers: ClusterAnswers, endpoint = floating(answers)): string {
  const apart = available.filter(({ network }) => network === "provider").map(({ name }) => name);
  const talos = parseVersion(answers.talos);
  const kubernetes = talos && fitting(answers, defaultKubernetes(talos));
  const contract = talos === undefined ? "v1.13" : minorOf(talos);
  return `cluster:
  name: ${word(answers.name)} § part of every machine's mark; cannot be changed later
${endpoint}
  talos: ${word(answers.talos)} § full version of Talos 1.12, 1.13 or 1.14
  ${kubernetes === undefined ? "# kubernetes: v1.36.3" : `kubernetes: ${kubernetes}`} § default: the version this Talos release was tested with
  contract: ${contract} § config format; do not change it when you upgrade Talos. Default: the minor version of talos
  cni: ${answers.cni} § pod network: flannel, cilium or none
  # scheduleOnControlPlanes: true § default: only when there are no workers
  # podSubnets: [10.244.0.0/16] § networks of the pods; one of each address family when network.cidr has both
  # serviceSubnets: [10.96.0.0/12] § networks of the services
  # dnsDomain: cluster.local § DNS domain inside the cluster
  # certSANs: [k8s.home.arpa] § additional names for the APIs' certificates
  # kubeletCertificates: true § kubelets request serving certificates; a controller must approve them
  # talosApiAccess: § pods that may call the Talos API
  #   roles: [os:reader]
  #   namespaces: [kube-system]
  # externalCloudProvider: true § a cloud controller initialises the nodes
  # discovery: false § do not use Talos's discovery service; default: true
  # kubespan: true § nodes communicate through WireGuard; default on ${apart.join(" and ")} when they are in different networks
`;
}

/** The default Kubernetes version of this Talos, or one that the pod network was also tested with. */
function fitting({ talos, cni }: ClusterAnswers, kubernetes: string | undefined): string | undefined {
  if (cni !== "cilium" || kubernetes === undefined) return kubernetes;
  return compatibilityOf({ talos, kubernetes, cilium: PRESETS.cilium.chart.version })?.nearest?.kubernetes ?? kubernetes;
}

export function network(answers: Answers, ssh: { host: string; note: string }): string {
  return `network:
  cidr: ${answers.cidr} § the network all nodes are in; with IPv6 too: [10.10.0.0/24, "fd00:10::/64"], and two each below
  gateway: ${word(answers.gateway)} § inside that network
  nameservers: ${words(answers.nameservers)} § default: the gateway
${way(ssh)}`;
}

/** How the nodes are reached, and how they reach others. */
export function way(ssh: { host: string; note: string }): string {
  return `  via: direct § direct: this computer reaches the nodes itself; ssh: through a host that does
  # ssh: § for via: ssh
  #   host: ${ssh.host} § ${ssh.note}
  #   port: 22
  #   user: root
  #   key: ~/.ssh/id_ed25519 § default: the SSH agent's keys, then the usual files
  #   hostKey: "SHA256:…" § host key; default: the one in ~/.ssh/known_hosts
  # timeServers: [time.cloudflare.com]
  # mtu: 9000 § default: the network card's
  # proxy: § for nodes without direct access to the Internet
  #   http: http://proxy.home.arpa:3128
  #   https: http://proxy.home.arpa:3128
  #   except: [.home.arpa, 10.0.0.0/8] § without the proxy
`;
}

/** Settings of nodes on all platforms, for the lines below \`all:\` of the defaults. */
export const settings = `    # More settings, also for a role or a node. Lists and maps are combined; of other values the most specific one is used.
    # labels: { tier: general }
    # annotations: { example.com/rack: r1 }
    # taints: [dedicated=gpu:NoSchedule] § also { key: dedicated, value: gpu, effect: NoSchedule }
    # extensions: [siderolabs/zfs] § system extensions in addition to image.extensions
    # kernelArgs: [console=ttyS0] § kernel arguments in addition to image.kernelArgs
    # gpu: nvidia § driver: nvidia, nvidia-lts, nvidia-nonfree or nvidia-nonfree-lts
    # sysctls: { vm.nr_hugepages: "1024" }
    # kernelModules: [nbd] § also { name: nbd, parameters: [nbds_max=16] }
    # patches: [patches/kubelet.yaml] § Talos patches, files or inline
    # ephemeral: { minSize: 20GiB, maxSize: 60GiB } § size of Talos's EPHEMERAL on the system disk; default: all; or disk: /dev/sdb
    # volumes: § for workloads, mounted at /var/mnt/data
    #   - name: data
    #     kind: user § or raw, without a file system; or swap
    #     disk: /dev/sdb § or { size: ">= 100GB", type: ssd }; default: the system disk
    #     minSize: 50GiB § or size: 100GiB exactly
    #     maxSize: 200GiB
    #     grow: true § with its disk
    #     filesystem: xfs § or ext4
    #     encryption: nodeID
    # encryption: § Talos's own partitions: nodeID, tpm, { passphrase: "\${env:NAME}" } or { kms: https://kms.home.arpa:4050 }
    #   state: nodeID
    #   ephemeral: nodeID`;

const outside = `# patches: § Talos patches: files beside this one, or inline; applied before those of the defaults and of nodes
#   all:
#     - patches/all.yaml
#     - machine: { sysctls: { vm.swappiness: "1" } }
#   controlplane: []
#   worker: []

# registries: § image registries, by host
#   docker.io:
#     mirrors: https://mirror.home.arpa § or a list
#     overridePath: false § true: do not append /v2 to the mirrors' addresses
#     skipFallback: false § true: never use the registry itself
#   registry.home.arpa:
#     username: robot
#     password: \${env:REGISTRY_PASSWORD}
#     ca: registry-ca.pem § CA certificate
#     insecure: false § true: do not check its certificate
`;

/** Additional firewall rules, with a # before each line. */
export const open = `#   open: § other traffic to allow
#     - name: ingress
#       ports: [80, 443, "8000-9000"]
#       protocol: tcp
#       from: [0.0.0.0/0] § default: all networks
#       on: worker § default: all nodes
`;

const firewall = `# firewall: § ingress firewall of the nodes
#   admin: [192.168.1.0/24] § networks that may reach the Talos and Kubernetes APIs; must include this computer
#   enabled: true § false: no firewall
${open}`;

const wireguard = `# wireguard: § network for access to the nodes from any address
#   cidr: 10.250.0.0/24 § the nodes get the first addresses
#   port: 51821 § UDP port, open to all addresses
#   peers: § wg-laptop.conf is written for this one
#     - name: laptop
#       publicKey: "…=" § as wg pubkey prints it
#       ip: 10.250.0.100
`;

/** Sections for the whole cluster, besides its nodes. */
export function beside(filter = firewall): string {
  return `${outside}
${filter}
${wireguard}`;
}

export const image = {
  factory: "  # factory: https://factory.talos.dev § builds the images",
  contents: `  extensions: [] § system extensions, such as [siderolabs/iscsi-tools]
  kernelArgs: [] § kernel arguments, such as [console=ttyS0]
  # schematic: 3765…b4ba § instead of these two: full id of an existing schematic
`,
};

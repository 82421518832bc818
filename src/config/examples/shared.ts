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
# A value may be taken from an environment variable, \${env:NAME}, or from a file beside this one, \${file:PATH}.
# Sizes have a unit, MiB, GiB or TiB. A line that begins with # shows the default, or another choice.

platform: ${platform} § where the machines are: ${all}

# extends: ../base.yaml § lay this file over another: sections are merged, lists replaced
`;
}

/** Where an address can float between the control planes. */
function floating({ endpoint }: Pick<Answers, "endpoint">): string {
  return `  endpoint: ${word(endpoint)} § an unused address floats between the control planes; or a DNS name, or a load balancer
  # vip: ${word(endpoint)} § the floating address, when the endpoint is a DNS name or a load balancer`;
}

type ClusterAnswers = Pick<Answers, "name" | "talos" | "endpoint" | "cni">;

export function cluster({ available }: Platforms, answers: ClusterAnswers, endpoint = floating(answers)): string {
  const apart = available.filter(({ network }) => network === "provider").map(({ name }) => name);
  const talos = parseVersion(answers.talos);
  const kubernetes = talos && fitting(answers, defaultKubernetes(talos));
  const contract = talos === undefined ? "v1.13" : minorOf(talos);
  return `cluster:
  name: ${word(answers.name)} § every machine is marked with it; it stays for the cluster's life
${endpoint}
  talos: ${word(answers.talos)} § release of Talos: 1.12, 1.13 or 1.14, in full
  ${kubernetes === undefined ? "# kubernetes: v1.36.3" : `kubernetes: ${kubernetes}`} § default: what this Talos release was tested with
  contract: ${contract} § config format; keep it when you upgrade Talos. Default: the minor of talos
  cni: ${answers.cni} § pod network: flannel, cilium or none
  # scheduleOnControlPlanes: true § default: only when there are no workers
  # podSubnets: [10.244.0.0/16] § networks of the pods; of each family one when network.cidr has two
  # serviceSubnets: [10.96.0.0/12] § networks of the services
  # dnsDomain: cluster.local § inside the cluster
  # certSANs: [k8s.home.arpa] § more names for the APIs' certificates
  # kubeletCertificates: true § kubelets get theirs from the cluster; something must approve them
  # talosApiAccess: § pods that may call the Talos API
  #   roles: [os:reader]
  #   namespaces: [kube-system]
  # externalCloudProvider: true § a cloud controller initialises the nodes
  # discovery: false § nodes do not ask Talos's discovery service for each other; default: true
  # kubespan: true § nodes talk to each other through WireGuard; on ${apart.join(" and ")} by default when they are in different networks
`;
}

/** What this Talos brings, or what the pod network was tested with as well. */
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
  return `  via: direct § this computer reaches the nodes' addresses itself; ssh: through a host that does
  # ssh: § for via: ssh
  #   host: ${ssh.host} § ${ssh.note}
  #   port: 22
  #   user: root
  #   key: ~/.ssh/id_ed25519 § default: the SSH agent's keys, then the usual files
  #   hostKey: "SHA256:…" § the host's key; default: what ~/.ssh/known_hosts says
  # timeServers: [time.cloudflare.com]
  # mtu: 9000 § largest packet; default: the network card's
  # proxy: § how nodes reach the outside, when they cannot by themselves
  #   http: http://proxy.home.arpa:3128
  #   https: http://proxy.home.arpa:3128
  #   except: [.home.arpa, 10.0.0.0/8] § reached without it
`;
}

/** What can be said of nodes on any platform, for the lines below \`all:\` of the defaults. */
export const settings = `    # More that can be said here, for a role or on a node; lists and names add up, of the rest the nearest holds.
    # labels: { tier: general }
    # annotations: { example.com/rack: r1 }
    # taints: [dedicated=gpu:NoSchedule] § also { key: dedicated, value: gpu, effect: NoSchedule }
    # extensions: [siderolabs/zfs] § system extensions beside image.extensions
    # kernelArgs: [console=ttyS0] § kernel arguments beside image.kernelArgs
    # gpu: nvidia § its driver: nvidia, nvidia-lts, nvidia-nonfree or nvidia-nonfree-lts
    # sysctls: { vm.nr_hugepages: "1024" }
    # kernelModules: [nbd] § also { name: nbd, parameters: [nbds_max=16] }
    # patches: [patches/kubelet.yaml] § Talos patches, files or inline
    # ephemeral: { minSize: 20GiB, maxSize: 60GiB } § what Talos takes of the system disk; default: all; also disk: /dev/sdb
    # volumes: § for workloads, mounted at /var/mnt/data
    #   - name: data
    #     kind: user § or raw, without a file system; or swap
    #     disk: /dev/sdb § or what it is: { size: ">= 100GB", type: ssd }; default: the system disk
    #     minSize: 50GiB § or size: 100GiB exactly
    #     maxSize: 200GiB
    #     grow: true § with its disk
    #     filesystem: xfs § or ext4
    #     encryption: nodeID
    # encryption: § of Talos's own partitions: nodeID, tpm, { passphrase: "\${env:NAME}" } or { kms: https://kms.home.arpa:4050 }
    #   state: nodeID
    #   ephemeral: nodeID`;

const outside = `# patches: § Talos patches: files beside this one, or inline; those of the defaults and of nodes come after them
#   all:
#     - patches/all.yaml
#     - machine: { sysctls: { vm.swappiness: "1" } }
#   controlplane: []
#   worker: []

# registries: § how nodes reach image registries, by host
#   docker.io:
#     mirrors: https://mirror.home.arpa § or a list
#     overridePath: false § the mirrors' addresses are the whole path
#     skipFallback: false § never ask the registry itself
#   registry.home.arpa:
#     username: robot
#     password: \${env:REGISTRY_PASSWORD}
#     ca: registry-ca.pem § the authority's certificate
#     insecure: false § true: its certificate is not checked
`;

/** What else the firewall lets in, with a mark before each line. */
export const open = `#   open: § what else is let in
#     - name: ingress
#       ports: [80, 443, "8000-9000"]
#       protocol: tcp
#       from: [0.0.0.0/0] § default: everywhere
#       on: worker § default: all nodes
`;

const firewall = `# firewall: § nodes refuse what is not let in
#   admin: [192.168.1.0/24] § from where people reach the Talos and Kubernetes APIs: this computer must be in it
#   enabled: true § false: as if this section were not there
${open}`;

const wireguard = `# wireguard: § a network of its own through which people reach the nodes, whatever address they come from
#   cidr: 10.250.0.0/24 § the nodes have its first addresses
#   port: 51821 § UDP; open to everybody
#   peers: § wg-laptop.conf is written for the first
#     - name: laptop
#       publicKey: "…=" § as wg pubkey prints it
#       ip: 10.250.0.100
`;

/** What holds for the whole cluster beside its nodes. */
export function beside(filter = firewall): string {
  return `${outside}
${filter}
${wireguard}`;
}

export const image = {
  factory: "  # factory: https://factory.talos.dev § where images are made",
  contents: `  extensions: [] § system extensions, such as [siderolabs/iscsi-tools]
  kernelArgs: [] § kernel arguments, such as [console=ttyS0]
  # schematic: 3765…b4ba § instead of these two: all 64 digits of a schematic the factory knows
`,
};

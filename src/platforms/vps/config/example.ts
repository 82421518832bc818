import { addons } from "../../../config/examples/addons.ts";
import type { Answers } from "../../../config/examples/answers.ts";
import { beside, cluster, head, image, open, settings, way } from "../../../config/examples/shared.ts";
import { aligned, word, words } from "../../../config/examples/text.ts";
import type { Platforms } from "../../../config/platform.ts";

export interface VpsAnswers extends Pick<Answers, "name" | "talos" | "endpoint" | "cni" | "nameservers"> {
  /** Absent when the servers' addresses have their own prefix lengths. */
  cidr: string | undefined;
  gateway: string;
  /** Networks people work from. */
  admin: readonly string[];
  provider: string | undefined;
  servers: readonly VpsServer[];
}

export interface VpsServer {
  name: string;
  role: "controlplane" | "worker";
  /** Maybe with its prefix length. */
  ip: string;
  /** The host key of its rescue system; undefined when unknown. */
  hostKey: string | undefined;
  /** The serial number of the disk to overwrite. */
  serial: string | undefined;
}

const server = (number: number, hostKey: string): VpsServer => ({
  name: `node-${number}`,
  role: "controlplane",
  ip: `203.0.113.1${number}`,
  hostKey,
  serial: `VPS-000${number}`,
});

/** The values of the committed example. */
export const VPS_EXAMPLE: VpsAnswers = {
  name: "homelab",
  talos: "v1.13.9",
  endpoint: "203.0.113.11",
  cni: "flannel",
  cidr: "203.0.113.0/24",
  gateway: "203.0.113.1",
  nameservers: ["9.9.9.9", "1.1.1.1"],
  admin: ["198.51.100.0/24"],
  provider: undefined,
  servers: [
    server(1, "SHA256:Tm90aGluZyBpcyBiZWhpbmQgdGhpcyBvbmUsIG5vLjE"),
    server(2, "SHA256:Tm90aGluZyBpcyBiZWhpbmQgdGhpcyBvbmUsIG5vLjI"),
    server(3, "SHA256:Tm90aGluZyBpcyBiZWhpbmQgdGhpcyBvbmUsIG5vLjM"),
  ],
};

/** A commented config.yaml for rented servers. */
export function vpsExample(platforms: Platforms, answers: VpsAnswers): string {
  return aligned(`${head(platforms, "A Talos cluster of rented servers: each is overwritten with Talos through its rescue system. All data on the disks is lost.", "vps")}
${cluster(platforms, answers, endpoint(answers))}
${network(answers)}
vps: § the servers' provider and rescue systems
  ${provider(answers)}
  # provider: § or with its API: talosmith restarts servers into rescue and puts a firewall in front of them
  #   name: hetzner
  #   token: \${env:HCLOUD_TOKEN}
  #   url: https://api.hetzner.cloud/v1
  ssh: § login to the rescue systems; ssh on a node overrides single keys
    port: 22
    user: root
    # key: ~/.ssh/id_ed25519 § default: the SSH agent's keys, then the usual files
    # hostKey: first § trust whichever key is presented, for rescue systems with a new key at every start

image: § the image to write to the disks
${image.factory}
${image.contents}  # arch: amd64 § or arm64; a server with another architecture is refused
  # secureboot: true § a signed image, for servers that boot with Secure Boot

# Defaults of nodes. A node's own keys override those of its role, which override those of all.
defaults:
  all:
    eraseMembers: false § true: allow overwriting a disk that belongs to a RAID or an LVM volume group
    # dhcp: true § servers get their addresses by DHCP; prefix and gateway are not needed
    # gateway: 203.0.113.1 § instead of network.gateway; may be outside the server's network
${settings}
  # controlplane: { labels: { tier: control } }
  # worker: { labels: { tier: general } }

nodes:
${answers.servers.map(node).join("")}${alone(answers)}  # A server in another network, with all keys of its own:
  # - name: node-9
  #   role: worker
  #   ip: 192.0.2.9/32 § with prefix length, or prefix: 32
  #   gateway: 172.31.1.1
  #   mac: "BC:24:11:00:00:09" § its network card, when it has several
  #   server: node-9 § name or number at the provider; default: the server with this address
  #   ssh: { host: rescue.example.com, port: 2222, user: root, key: rescue-key, hostKey: "SHA256:…" }

${beside(firewall(answers))}
${addons(answers.cni)}`);
}

function endpoint(answers: VpsAnswers): string {
  return `  endpoint: ${word(answers.endpoint)} § a control plane's address, a DNS name of the control planes, or a load balancer. There are no virtual IPs;
 § if that server fails, the others continue: use kubectl --server https://ADDRESS:6443 of another`;
}

function network({ cidr, gateway, nameservers }: VpsAnswers): string {
  return `network:
  ${cidr === undefined ? "# cidr: 203.0.113.0/24" : `cidr: ${cidr}`} § sets the prefix length of the servers inside it; or write ip: 203.0.113.11/24 on each
  gateway: ${word(gateway)} § of servers without their own gateway; may be outside their networks
  nameservers: ${words(nameservers)} § the provider's, or others
${way({ host: "192.0.2.1", note: "must be given" })}`;
}

function provider({ provider }: VpsAnswers): string {
  const note = "hetzner, hetzner-robot, ovh, contabo or netcup: doctor prints its steps";
  return `${provider === undefined ? "# provider: hetzner" : `provider: ${provider}`} § ${note}`;
}

function node({ name, role, ip, hostKey, serial }: VpsServer, index: number): string {
  const note = (text: string) => (index === 0 ? ` § ${text}` : "");
  const disk = `installDisk: { serial: ${word(serial ?? "S5GXNX0T123456")} }`;
  const key = hostKey === undefined ? '# ssh: { hostKey: "SHA256:…" }' : `ssh: { hostKey: ${JSON.stringify(hostKey)} }`;
  return `  - name: ${word(name)}${note("the host name")}
    role: ${role}${note("controlplane or worker")}
    ip: ${word(ip)}${note("its public address")}
    ${serial === undefined ? `# ${disk}` : disk}${note("the disk to overwrite; a disk with data must be selected like this or confirmed by hand. Default: the only disk")}
    ${key}${note("the rescue system's host key; default: the one in ~/.ssh/known_hosts")}
`;
}

function alone({ servers }: VpsAnswers): string {
  return servers.some(({ role }) => role === "worker") ? "" : "  # Without workers, control planes run the workloads.\n";
}

function firewall({ admin }: VpsAnswers): string {
  return `firewall: § ingress firewall of the nodes
  admin: ${words(admin)} § networks that may reach the Talos and Kubernetes APIs; must include this computer
  # enabled: false § no firewall
${open.replaceAll(/^#(?=.)/gm, "  #").replaceAll(/^ {2}# {3}/gm, "  # ")}`;
}

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
  /** Of its rescue system; undefined when nobody saw it. */
  hostKey: string | undefined;
  /** Of the disk that is overwritten. */
  serial: string | undefined;
}

const server = (number: number, hostKey: string): VpsServer => ({
  name: `node-${number}`,
  role: "controlplane",
  ip: `203.0.113.1${number}`,
  hostKey,
  serial: `VPS-000${number}`,
});

/** What the committed example says. */
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
  return aligned(`${head(platforms, "A Talos cluster of rented servers: each is overwritten with Talos through its rescue system. What is on their disks is lost.", "vps")}
${cluster(platforms, answers, endpoint(answers))}
${network(answers)}
vps: § the servers' rescue systems, and who rents them out
  ${provider(answers)}
  # provider: § or with its API: servers are restarted into rescue, and a firewall is put before them
  #   name: hetzner
  #   token: \${env:HCLOUD_TOKEN}
  #   url: https://api.hetzner.cloud/v1
  ssh: § how to log in to the rescue systems; ssh on a node says what differs
    port: 22
    user: root
    # key: ~/.ssh/id_ed25519 § default: the SSH agent's keys, then the usual files
    # hostKey: first § believe whoever answers, for rescue systems that make a new key at every start

image: § what is written to the disks
${image.factory}
${image.contents}  # arch: amd64 § or arm64; a server that is another is refused
  # secureboot: true § a signed image, for servers that boot with Secure Boot

# For many nodes at once. A node's own keys win over its role's, those over all.
defaults:
  all:
    eraseMembers: false § true: a disk that belongs to a RAID or an LVM group may be overwritten, too
    # dhcp: true § the network tells servers their addresses; then prefix and gateway are not needed
    # gateway: 203.0.113.1 § instead of network.gateway; may be outside of the server's network
${settings}
  # controlplane: { labels: { tier: control } }
  # worker: { labels: { tier: general } }

nodes:
${answers.servers.map(node).join("")}${alone(answers)}  # A server elsewhere, with everything that can be its own:
  # - name: node-9
  #   role: worker
  #   ip: 192.0.2.9/32 § with its prefix length, or prefix: 32
  #   gateway: 172.31.1.1
  #   mac: "BC:24:11:00:00:09" § its network card, when it has several
  #   server: node-9 § what the provider calls it; default: the one that has its address
  #   ssh: { host: rescue.example.com, port: 2222, user: root, key: rescue-key, hostKey: "SHA256:…" }

${beside(firewall(answers))}
${addons(answers.cni)}`);
}

function endpoint(answers: VpsAnswers): string {
  return `  endpoint: ${word(answers.endpoint)} § a control plane's address, a DNS name that leads to them, or a load balancer. No address floats here;
 § without that server the others go on, and kubectl takes --server https://ADDRESS:6443 of another`;
}

function network({ cidr, gateway, nameservers }: VpsAnswers): string {
  return `network:
  ${cidr === undefined ? "# cidr: 203.0.113.0/24" : `cidr: ${cidr}`} § gives the servers inside it their prefix length; or write ip: 203.0.113.11/24 on each
  gateway: ${word(gateway)} § of all that have no gateway of their own; may be outside of their networks
  nameservers: ${words(nameservers)} § the provider's, or others
${way({ host: "192.0.2.1", note: "must be given" })}`;
}

function provider({ provider }: VpsAnswers): string {
  const note = "hetzner, hetzner-robot, ovh, contabo or netcup: doctor then knows its steps";
  return `${provider === undefined ? "# provider: hetzner" : `provider: ${provider}`} § ${note}`;
}

function node({ name, role, ip, hostKey, serial }: VpsServer, index: number): string {
  const note = (text: string) => (index === 0 ? ` § ${text}` : "");
  const disk = `installDisk: { serial: ${word(serial ?? "S5GXNX0T123456")} }`;
  const key = hostKey === undefined ? '# ssh: { hostKey: "SHA256:…" }' : `ssh: { hostKey: ${JSON.stringify(hostKey)} }`;
  return `  - name: ${word(name)}${note("the host name")}
    role: ${role}${note("controlplane or worker")}
    ip: ${word(ip)}${note("its public address")}
    ${serial === undefined ? `# ${disk}` : disk}${note("the disk that is overwritten; one that holds data must be named so, or confirmed by a person. Default: the only one")}
    ${key}${note("the rescue system's key; default: what ~/.ssh/known_hosts says")}
`;
}

function alone({ servers }: VpsAnswers): string {
  return servers.some(({ role }) => role === "worker") ? "" : "  # Without workers, control planes run the workloads.\n";
}

function firewall({ admin }: VpsAnswers): string {
  return `firewall: § nodes refuse what is not let in
  admin: ${words(admin)} § from where people reach the Talos and Kubernetes APIs: this computer must be in it
  # enabled: false § everybody reaches everything
${open.replaceAll(/^#(?=.)/gm, "  #").replaceAll(/^ {2}# {3}/gm, "  # ")}`;
}

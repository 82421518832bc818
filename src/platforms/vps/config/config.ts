import { parseIp } from "@talosmith/lib/ip.ts";
import { find, type Path, pathName, type Tree } from "@talosmith/lib/yaml/tree.ts";
import type { ConfigPlatform, PlatformKeys, PlatformReference } from "../../../config/platform.ts";
import { check } from "./checks/all.ts";
import { flat } from "./flat.ts";
import { place } from "./place.ts";
import { read } from "./resolve.ts";
import { vps } from "./schema/section.ts";
import { serverKeys, serverSettings } from "./schema/server.ts";

function missing(path: Path, tree: Tree): string | undefined {
  return pathName(path) === "firewall.admin" ? adminHint(tree) : undefined;
}

/** The hint shows how to find one's own address as a server sees it, because the firewall sees the same address. */
function adminHint(tree: Tree): string {
  const ip = find(tree, ["nodes", 0, "ip"]);
  const [address = ""] = ip?.kind === "scalar" ? String(ip.value).split("/") : [];
  return [
    "add the networks you work from:",
    "firewall:",
    "  admin: [198.51.100.7/32]",
    "this prints your own address as a server sees it:",
    `ssh root@${parseIp(address) === undefined ? "SERVER" : address} 'echo \${SSH_CONNECTION%% *}'`,
    "or let anyone reach the APIs with firewall: { enabled: false }",
  ].join("\n");
}

const reference: PlatformReference = {
  sections: [[["vps"], "Only for `platform: vps`."], [["vps", "provider"], "Instead of only the name."], [["vps", "ssh"]]],
  settings: [[["ssh"], "SSH login to a server's rescue system; its keys override those of `vps.ssh`."]],
  rules: `Rented servers, each of which is overwritten with Talos through its rescue system, over SSH.

- There is no \`proxmox\` section, no \`image.method\`, and no setting that describes a machine, as on metal. There are no virtual IPs: there is no
  \`cluster.vip\`, and \`cluster.endpoint\` is a control plane's address, a DNS name or a load balancer.
- \`network.cidr\` and \`network.gateway\` are only defaults of all servers: a server's own \`ip\` may include its prefix length
  (\`203.0.113.11/32\`), its own \`gateway\` may be outside its network. With \`dhcp: true\` it gets both by DHCP.
- Its addresses are set on the card with \`mac\`, on its \`bond\`, or on its only card.
- \`installDisk\` selects the disk to overwrite, by default the only one. A disk with data is overwritten only when its
  \`serial\` or \`wwid\` is set there, or when you confirm it by typing the node's name.
- Of \`nodes[].ssh\`, \`defaults\` and \`vps.ssh\`, each key is taken from the first one that sets it. \`hostKey: first\` trusts whichever key the server presents.
- \`firewall.admin\` is required, unless \`firewall.enabled\` is \`false\`. Each node allows the addresses of the others one by one.
- A network in which every server has a card under \`nics\`, each with its address (\`10.0.0.11/24\`, or \`10.0.0.11/32\` with a route to the whole), is the private network
  of the cluster: kubelets, etcd and pods use it, and the servers' \`ip\` is for you and the Internet.
- \`cluster.kubespan\` is \`true\` by default when the nodes are in different networks, have no private network, and \`cluster.discovery\` is not off.
- The kernel argument \`talos.config=metal-iso\` is added, so that Talos finds its config on the disk from the first start; not with
  \`image.schematic\`, and not when another \`talos.config\` is set: then the server waits in maintenance mode for its config.
`,
};

/** Keys that only rented servers have. */
const keys: PlatformKeys = {
  sections: { vps: vps.optional() },
  settings: serverSettings,
  node: serverKeys,
  notes: {
    "nodes[].installDisk":
      "On vps it is the disk to overwrite, by default the only one; a disk with data must be selected by serial or wwid.",
  },
  instead: { ssh: "remove it: talosmith does not log in to these machines" },
};

/** Rented servers, each of which is overwritten through its rescue system. */
export const vpsConfig: ConfigPlatform = {
  name: "vps",
  about: "overwrites rented servers",
  talosPlatform: "metal",
  machines: { kind: "existing", image: "the factory's metal image is written to the servers' disks" },
  network: "provider",
  keys,
  flat,
  reference,
  missing,
  check,
  read,
  place,
};

import type { PlatformReference } from "../../../config/platform.ts";

export const reference: PlatformReference = {
  sections: [[["vps"], "For `platform: vps` only."], [["vps", "provider"], "Instead of the name alone."], [["vps", "ssh"]]],
  settings: [[["ssh"], "How to log in to a server's rescue system, where it differs from `vps.ssh`."]],
  rules: `Rented servers, each of which is overwritten with Talos through its rescue system, over SSH.

- There is no \`proxmox\` section, no \`image.method\`, and no setting that describes a machine, as on metal. No address floats: there is no
  \`cluster.vip\`, and \`cluster.endpoint\` is a control plane's address, a DNS name or a load balancer.
- \`network.cidr\` and \`network.gateway\` are only what servers have in common: a server's own \`ip\` may have its prefix length behind it
  (\`203.0.113.11/32\`), its own \`gateway\` may be outside of its network. With \`dhcp: true\` its network tells it both.
- Its addresses are given to the card \`mac\` names, to its \`bond\`, or to the only card it has.
- \`installDisk\` names the disk that is overwritten, by default the only one there is. One that holds data is overwritten only when its
  \`serial\` or \`wwid\` stands there, or when a person types the node's name.
- Of \`nodes[].ssh\`, \`defaults\` and \`vps.ssh\`, each key is taken from the nearest that has it. \`hostKey: first\` believes whoever answers.
- \`firewall.admin\` is required, unless \`firewall.enabled\` is \`false\`. Nodes let each other in one by one.
- A network in which every server has a card under \`nics\`, each with its address (\`10.0.0.11/24\`, or \`10.0.0.11/32\` with a route to the whole), is the private network
  of the cluster: kubelets, etcd and pods talk there, and the servers' \`ip\` is for people and the Internet.
- \`cluster.kubespan\` is \`true\` by default when the nodes are in different networks, have no private one, and \`cluster.discovery\` is not off.
- The kernel argument \`talos.config=metal-iso\` is added, by which Talos finds its config on the disk from the first start on; not with
  \`image.schematic\`, and not when another \`talos.config\` is written: then the server waits in maintenance mode for its config.
`,
};

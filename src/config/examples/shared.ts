import { defaultKubernetes } from "../../catalog/talos-versions.ts";
import { minorOf, parseVersion } from "../../catalog/version.ts";
import { NEWEST_CONTRACT } from "../defaults.ts";
import type { Answers } from "./answers.ts";
import { word, words } from "./text.ts";

/** The parts that every platform's example has. */

export function head(what: string, platform: string): string {
  return `# yaml-language-server: $schema=../../schema/config.schema.json
#
# ${what}
#
# A value may be taken from an environment variable, \${env:NAME}, or from a file beside this one, \${file:PATH}.
# Sizes have a unit, MiB, GiB or TiB. A line that begins with # shows the default, or another choice.

platform: ${platform} § where the machines are: proxmox makes them, metal takes machines that wait in maintenance mode

# extends: ../base.yaml § lay this file over another: sections are merged, lists replaced
`;
}

export function cluster(answers: Answers): string {
  const talos = parseVersion(answers.talos);
  const kubernetes = talos && defaultKubernetes(talos);
  const contract = talos === undefined || talos.minor > 13 ? NEWEST_CONTRACT : minorOf(talos);
  return `cluster:
  name: ${word(answers.name)} § every machine is marked with it; it stays for the cluster's life
  endpoint: ${word(answers.endpoint)} § an unused address floats between the control planes; or a DNS name, or a load balancer
  # vip: ${word(answers.endpoint)} § the floating address, when the endpoint is a DNS name or a load balancer
  talos: ${word(answers.talos)} § release of Talos: 1.12, 1.13 or 1.14, in full
  ${kubernetes === undefined ? "# kubernetes: v1.36.3" : `kubernetes: ${kubernetes}`} § default: what this Talos release was tested with
  contract: ${contract} § config format; keep it when you upgrade Talos. Default: the minor of talos, at most v1.13
  cni: ${answers.cni} § pod network: flannel, cilium or none
  # scheduleOnControlPlanes: true § default: only when there are no workers
`;
}

export function network(answers: Answers, ssh: { host: string; note: string }): string {
  return `network:
  cidr: ${answers.cidr} § the network all nodes are in
  gateway: ${word(answers.gateway)} § inside that network
  nameservers: ${words(answers.nameservers)} § default: the gateway
  via: direct § this computer reaches the nodes' addresses itself; ssh: through a host that does
  # ssh: § for via: ssh
  #   host: ${ssh.host} § ${ssh.note}
  #   port: 22
  #   user: root
  #   key: ~/.ssh/id_ed25519 § default: the SSH agent's keys, then the usual files
  #   hostKey: "SHA256:…" § the host's key; default: what ~/.ssh/known_hosts says
`;
}

export const image = {
  factory: "  # factory: https://factory.talos.dev § where images are made",
  contents: `  extensions: [] § system extensions, such as [siderolabs/iscsi-tools]
  kernelArgs: [] § kernel arguments, such as [console=ttyS0]
  # schematic: 3765…b4ba § instead of these two: all 64 digits of a schematic the factory knows
`,
};

export function addons(cni: Answers["cni"]): string {
  const mark = cni === "cilium" ? "" : "# ";
  return `${mark}addons: § what is installed into the cluster
${mark}  cilium: § for cni: cilium
${mark}    version: "1.20.1" § release of its chart
${mark}    # repository: https://helm.cilium.io
${mark}    # values: { hubble: { relay: { enabled: true } } } § laid over the values Talos needs
${mark}  # helmImage: docker.io/alpine/helm:3.18.6 § what installs charts, from inside the cluster
`.replaceAll("# # ", "#   # ");
}

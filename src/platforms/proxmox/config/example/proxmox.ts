import { addons } from "../../../../config/examples/addons.ts";
import { type Answers, HOMELAB } from "../../../../config/examples/answers.ts";
import { beside, cluster, head, image, network, settings } from "../../../../config/examples/shared.ts";
import { aligned, word, words } from "../../../../config/examples/text.ts";
import type { Platforms } from "../../../../config/platform.ts";
import { machineLines, specialNode } from "./machine.ts";

export interface ProxmoxAnswers extends Answers {
  url: string;
  /** The fingerprint of the certificate; undefined when this computer already trusts it. */
  fingerprint: string | undefined;
  token: string;
  hosts: readonly string[];
  disks: string;
  images: string;
  bridge: string;
}

/** The values of the committed example. */
export const PROXMOX_EXAMPLE: ProxmoxAnswers = {
  ...HOMELAB,
  endpoint: "10.10.0.5",
  url: "https://192.168.122.70:8006",
  fingerprint: "00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF",
  token: `\${env:PROXMOX_TOKEN}`,
  hosts: ["pve1", "pve2", "pve3"],
  disks: "local-lvm",
  images: "local",
  bridge: "vmbr0",
};

/** A commented config.yaml for machines on Proxmox. */
export function proxmoxExample(platforms: Platforms, answers: ProxmoxAnswers): string {
  return aligned(`${head(platforms, "A Talos cluster on Proxmox. Adapt what is specific to your environment; the rest can stay.", "proxmox")}
${cluster(platforms, answers)}
${network(answers, { host: hostOf(answers.url), note: "default: the host in proxmox.url" })}
image:
  method: import § import: written directly to each disk; template: created once per host, then cloned; iso: installed from an ISO
  # clone: full § for method: template; or linked: faster and smaller, but bound to its template
${image.factory}
${image.contents}  # secureboot: true § a signed image; its keys are enrolled at the first start

proxmox:
  url: ${answers.url} § any host of the Proxmox cluster
${tls(answers)}
  token: ${answers.token} § user@realm!name=secret
  # user: root@pam § instead of token, for settings that need root@pam
  # password: \${env:PROXMOX_PASSWORD}
  hosts: ${words(answers.hosts)} § nodes are spread over them
  # host: ${word(answers.hosts[0] ?? "pve1")} § instead of hosts, when there is one
  storage:
    disks: ${word(answers.disks)} § for the machines' disks
    images: ${word(answers.images)} § for the Talos image; its content must include import
  bridge: ${word(answers.bridge)} § bridge of the machines
  # pool: talos § resource pool of the machines
  # ssh: { user: root, key: ~/.ssh/id_ed25519 } § how talosmith host prepare logs in; keys as in network.ssh

# Defaults of nodes. A node's own keys override those of its role, which override those of all.
defaults:
  all:
    onboot: true § start the machine with its host
    tags: [talos] § tags in Proxmox
${machineLines}
${settings}
  controlplane:
    cores: 4 § default: 4, workers 2
    memory: 4GiB § default: 4GiB, workers 2GiB
  worker:
    cores: 4
    memory: 8GiB
    disk: 40GiB § system disk; default: 20GiB

nodes:
  - name: cp § the host name; numbered with count: ${answers.controlPlanes === 1 ? "cp-1" : `cp-1 to cp-${answers.controlPlanes}`}
    role: controlplane § controlplane or worker
    count: ${answers.controlPlanes} § number of nodes, with consecutive addresses (and vmids); without count, name and ip are for one node
    ip: ${answers.controlPlane} § address of the first
    # host: ${word(answers.hosts[0] ?? "pve1")} § Proxmox host of the node; default: spread over hosts
    # vmid: 1011 § VM id in Proxmox; default: derived
    # mac: "BC:24:11:00:00:11" § of the network card, for a single node; default: derived
    # bridge: vmbr1 § instead of proxmox.bridge
    # vlan: 10 § VLAN tag
    # gateway: 10.10.0.2 § instead of network.gateway
    # storage: ceph § for its disks, instead of proxmox.storage.disks; also { disks: ceph }
${workers(answers)}${specialNode}
${beside()}
${addons(answers.cni, ADDONS)}`);
}

const ADDONS = [
  `proxmoxCcm: { token: "\${env:CCM_TOKEN}", region: home } § Proxmox's cloud controller`,
  "proxmoxCsi: § volumes are disks on Proxmox storages",
  `  token: \${env:CSI_TOKEN} § of a separate Proxmox user`,
  "  classes: [{ name: proxmox, storage: local-lvm, default: true, reclaim: delete }] § or retain",
];

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "192.168.122.70";
}

function tls({ url, fingerprint }: ProxmoxAnswers): string {
  const at = URL.canParse(url) ? new URL(url).host : "192.168.122.70:8006";
  const how = `  # How to verify Proxmox's certificate. The Proxmox UI shows the fingerprint under the host, System, Certificates, pve-ssl.pem; this prints it:
  #   openssl s_client -connect ${at} </dev/null 2>/dev/null | openssl x509 -noout -fingerprint -sha256`;
  if (fingerprint === undefined)
    return `${how}
  tls: system § this computer already trusts the certificate
  # tls: { fingerprint: "AA:BB:…" } § or: exactly this certificate
  # tls: { ca: pve-root-ca.pem } § or: the CA certificate, /etc/pve/pve-root-ca.pem of a host`;
  return `${how}
  tls:
    fingerprint: ${JSON.stringify(fingerprint)}
    # ca: pve-root-ca.pem § or: the CA certificate, /etc/pve/pve-root-ca.pem of a host
  # tls: system § or: this computer already trusts the certificate`;
}

function workers({ workers, worker }: ProxmoxAnswers): string {
  if (workers === 0) return "  # Without workers, control planes run the workloads.\n";
  return `  - name: worker § ${workers === 1 ? "worker-1" : `worker-1 to worker-${workers}`}
    role: worker
    count: ${workers}
    ip: ${worker}
`;
}

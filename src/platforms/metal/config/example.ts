import { after, formatIp, parseIp } from "@talosmith/lib/ip.ts";
import { addons } from "../../../config/examples/addons.ts";
import { type Answers, HOMELAB } from "../../../config/examples/answers.ts";
import { beside, cluster, head, image, network, settings } from "../../../config/examples/shared.ts";
import { aligned, word } from "../../../config/examples/text.ts";
import type { Platforms } from "../../../config/platform.ts";

export interface MetalAnswers extends Answers {
  installDisk: string;
  /** MAC addresses of the control planes' network cards; needed when the endpoint is a virtual IP. */
  macs: readonly string[];
}

/** The values of the committed example. */
export const METAL_EXAMPLE: MetalAnswers = {
  ...HOMELAB,
  endpoint: "10.10.0.11",
  installDisk: "/dev/sda",
  macs: [],
};

/** A commented config.yaml for machines that were started from the factory's metal image. */
export function metalExample(platforms: Platforms, answers: MetalAnswers): string {
  return aligned(`${head(platforms, "A Talos cluster of existing machines: each was started from the image factory's metal image and waits in maintenance mode.", "metal")}
${cluster(platforms, answers)}
${network(answers, { host: answers.gateway, note: "must be given" })}
image: § the image to install
${image.factory}
${image.contents}  # arch: amd64 § or arm64
  # secureboot: true § a signed image, for machines that boot with Secure Boot

# Defaults of nodes. A node's own keys override those of its role, which override those of all.
defaults:
  all:
    installDisk: ${word(answers.installDisk)} § Talos is installed to this disk; all data on it is lost. Default: /dev/sda
    # installDisk: § or its properties, which must all match
    #   size: ">= 100GB"
    #   serial: S5GXNX0T123456
    #   model: Samsung SSD 980* § * matches anything
    #   wwid: eui.0025388b01234567
    #   busPath: /pci0000:00/0000:00:17.0/ata1/*
    #   type: nvme § ssd, hdd, nvme or sd
${settings}
  # controlplane: { installDisk: /dev/nvme0n1 }
  # worker: { installDisk: /dev/nvme0n1 }

nodes:
${controlPlanes(answers)}${workers(answers)}
${beside()}
${addons(answers.cni)}`);
}

const MAC_NOTE = "its network card: makes the address static; needed when the endpoint is a virtual IP";

/** One by one, because each has its own MAC address. */
function controlPlanes({ controlPlanes, controlPlane, macs }: MetalAnswers): string {
  const first = parseIp(controlPlane) ?? { family: 4, value: 0n };
  return Array.from({ length: controlPlanes }, (_, n) => {
    const mac = macs[n];
    return `  - name: cp-${n + 1}${n === 0 ? " § the host name" : ""}
    role: controlplane${n === 0 ? " § controlplane or worker" : ""}
    ip: ${word(formatIp(after(first, n)))}${n === 0 ? " § current address; without mac, DHCP must always assign this one" : ""}
    ${mac === undefined ? `# mac: "BC:24:11:00:00:1${n + 1}"` : `mac: ${JSON.stringify(mac)}`}${n === 0 ? ` § ${MAC_NOTE}` : ""}
`;
  }).join("");
}

function workers({ workers, worker }: MetalAnswers): string {
  if (workers === 0) return "  # Without workers, control planes run the workloads.\n";
  return `  - name: worker § numbered with count: ${workers === 1 ? "worker-1" : `worker-1 to worker-${workers}`}
    role: worker
    count: ${workers} § number of nodes, with consecutive addresses; without count, name and ip are for one node
    ip: ${worker} § address of the first
    # installDisk: /dev/nvme0n1 § instead of the defaults'
  # A node with several network cards, without count. Each card is identified by its MAC address.
  # - name: storage-1
  #   role: worker
  #   ip: 10.10.0.41
  #   gateway: 10.10.0.2 § instead of network.gateway; may be outside network.cidr
  #   vlan: 10 § VLAN id of the address
  #   bond: § several cards combined into one, instead of mac
  #     mode: 802.3ad § or active-backup, balance-rr, balance-xor, broadcast, balance-tlb, balance-alb
  #     macs: ["BC:24:11:00:00:41", "BC:24:11:00:00:42"]
  #     miimon: 100 § interval of link monitoring in milliseconds
  #     lacpRate: fast § or slow
  #     xmitHashPolicy: layer3+4 § or layer2, layer2+3, encap2+3, encap3+4
  #   nics: § additional cards
  #     - mac: "BC:24:11:00:00:43"
  #       ip: 10.20.0.41/24 § or a list
  #       dhcp: false
  #       mtu: 9000
  #       routes: [{ to: 10.30.0.0/16, via: 10.20.0.1 }]
  #       vlans: [{ id: 30, ip: 10.40.0.41/24 }]
`;
}

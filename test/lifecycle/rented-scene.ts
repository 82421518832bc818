import { chartsService } from "@talosmith/lab/charts/service.ts";
import { factoryService } from "@talosmith/lab/factory/service.ts";
import { hetznerService } from "@talosmith/lab/hetzner/service.ts";
import type { RunningLab } from "@talosmith/lab/kernel/kernel.ts";
import { kubernetesService } from "@talosmith/lab/kubernetes/service.ts";
import { type RentedServer, rescueService } from "@talosmith/lab/rescue/service.ts";
import { talosService } from "@talosmith/lab/talos/service.ts";
import { Commands, type LabPace, watchedLab } from "./commands.ts";

export interface RentedWishes {
  /** One entry per node: config keys after its name and role, such as "installDisk: { serial: VPS-0001 }". */
  nodes?: readonly { server: string; role?: "controlplane" | "worker"; keys?: string; hostKey?: string }[];
  admin?: string;
  /** Keys below image, besides the factory. */
  image?: string;
  /** Keys below vps, besides ssh. */
  vps?: string;
  extra?: string;
}

/** A lab with rented servers in their rescue systems, and talosmith taking them over. */
export class RentedScene extends Commands {
  /** Called when a call has taken effect and its response is about to be sent. */
  onAnswer: (() => void) | undefined;

  static async open(seed: string, servers: readonly RentedServer[], pace: LabPace = {}): Promise<RentedScene> {
    let scene: RentedScene | undefined;
    const services = [
      factoryService({ buildMs: 1_000 }),
      chartsService(),
      rescueService({ servers }),
      hetznerService(),
      talosService(),
      kubernetesService(),
    ];
    const lab: RunningLab = await watchedLab(seed, services, pace, () => scene?.onAnswer?.());
    scene = new RentedScene(lab, { LAB_KEY: lab.published().rescue?.key ?? "", LAB_TOKEN: lab.published().hetzner?.token ?? "" });
    // Until they have started.
    await lab.sleep(2_000);
    return scene;
  }

  /** A value published by the lab: published("rescue", "address vps-1"). */
  published(service: string, fact: string): string {
    return this.lab.published()[service]?.[fact] ?? "";
  }

  address(server: string): string {
    return this.published("rescue", `address ${server}`);
  }

  config(wishes: RentedWishes = {}): string {
    const { nodes = [{ server: "vps-1" }], admin = "127.0.0.1/32" } = wishes;
    const block = this.lab.address.prefix;
    const first = nodes[0]?.server ?? "";
    const lines = nodes.map(({ server, role = "controlplane", keys = `installDisk: { serial: S-${server} }`, hostKey }) => {
      const key = hostKey ?? this.published("rescue", `hostKey ${server}`);
      return `  - { name: ${server}, role: ${role}, ip: ${this.address(server)}, ssh: { hostKey: "${key}" }${keys && `, ${keys}`} }\n`;
    });
    return `platform: vps
cluster: { name: rented, endpoint: ${this.address(first)}, talos: v1.13.9 }
network: { cidr: ${block}.0/24, gateway: ${block}.1, nameservers: [${block}.1] }
image: { factory: "${this.published("factory", "url")}"${wishes.image ? `, ${wishes.image}` : ""} }
vps:
  ssh: { port: 2222, key: "\${env:LAB_KEY}" }
${wishes.vps ?? ""}firewall:
  admin: [${admin}]
${wishes.extra ?? ""}nodes:
${lines.join("")}`;
  }
}

import { join } from "node:path";
import { writeDurably } from "../lib/durable.ts";
import type { World } from "../lib/world/world.ts";
import { labFolder } from "./lab-folder.ts";
import { labFacts } from "./lab-status.ts";
import type { CommandSession } from "./session.ts";

/** Starts a lab, tells the environment how to reach it, and writes a first config when there is none. */
export async function startLabFor({ world, bus }: CommandSession, folder: string, args: readonly string[]): Promise<number> {
  const { startLab } = await import("../lab/host/start.ts");
  const home = labFolder(folder);
  const before = read(world, join(home, "block"));
  const lab = await startLab(world, { folder: home, args: [...args, ...(before ? ["--address", before] : [])] });
  const block = lab.block.split(".").slice(0, 3).join(".");
  const { url = "", fingerprint = "", token = "" } = lab.services.proxmox ?? {};
  // The config refers to these files, so a lab that is started anew needs no change in it.
  const known = { block, url, fingerprint, token, factory: lab.services.factory?.url ?? "" };
  for (const [name, value] of Object.entries(known)) writeDurably(world.files, join(home, name), `${value}\n`);
  const config = join(folder, "config.yaml");
  if (!world.files.stat(config))
    writeDurably(world.files, config, labConfig(block, (lab.services.proxmox?.hosts ?? "").split(",")), 0o644);
  if (before && before !== block) {
    bus.emit({
      type: "notice",
      level: "warn",
      message: `the lab now has the addresses ${lab.block}, since ${before}.0/24 was taken; ${config} still speaks of the old ones`,
      hint: `change the addresses in ${config}, or remove it and start again`,
    });
  }
  const next = [
    `talosmith up ${folder} --until provision`,
    `talosmith lab stop${folder === "environments/lab" ? "" : ` ${folder}`}`,
  ];
  bus.emit({ type: "result", result: { ...labFacts(folder, lab), title: "the lab is running", next } });
  return 0;
}

function read(world: World, path: string): string | undefined {
  const content = world.files.read(path);
  return content && Buffer.from(content).toString("utf8").trim();
}

function labConfig(block: string, hosts: readonly string[]): string {
  return `# An environment on the embedded lab, written once by \`talosmith lab start\`; change what you like.
# environments/proxmox-example/config.yaml explains every key.
platform: proxmox
cluster:
  name: lab
  endpoint: ${block}.5
  talos: v1.13.9
network:
  cidr: ${block}.0/24
  gateway: ${block}.250
image:
  method: import
  factory: "\${file:.lab/factory}"
proxmox:
  url: "\${file:.lab/url}"
  tls: { fingerprint: "\${file:.lab/fingerprint}" }
  token: "\${file:.lab/token}"
  hosts: [${hosts.join(", ")}]
  storage: { disks: local-lvm, images: local }
  bridge: vmbr0
defaults:
  all: { cores: 2, memory: 4GiB, disk: 20GiB }
  controlplane: { cores: 4 }
nodes:
  - { name: cp, role: controlplane, count: 1, ip: ${block}.11 }
  - { name: worker, role: worker, count: 2, ip: ${block}.21 }
`;
}

import { join } from "node:path";
import type { LabHandle } from "@talosmith/lab/host/lab-file.ts";
import { writeDurably } from "@talosmith/lib/durable.ts";
import { ownCommand, typedWords } from "@talosmith/lib/own-command.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { LabWish } from "../platforms/lab.ts";
import { labFolder, startedWith } from "./lab-folder.ts";
import { LAB_PLATFORMS, type LabPlatform, siteOf } from "./lab-sites.ts";
import { labFacts } from "./lab-status.ts";
import { throughWire, type UseWire } from "./lab-wire.ts";
import type { CommandSession } from "./session.ts";

/** `talosmith lab start`: starts a lab and shows its addresses. */
export async function startLabFor(
  session: CommandSession,
  folder: string,
  platform: LabPlatform,
  args: readonly string[],
  isPrivate: boolean,
  useWire: UseWire,
): Promise<number> {
  const lab = await prepareLab(session, folder, platform, { name: "lab", controlPlanes: 1, workers: 2, isPrivate }, args);
  await throughWire(session, folder, lab, useWire);
  const next = [ownCommand("up", folder), ownCommand("lab stop", ...(folder === "environments/lab" ? [] : [folder]))];
  session.bus.emit({ type: "result", result: { ...labFacts(folder, lab), title: "the lab is running", next } });
  return 0;
}

/** Starts a lab, writes its addresses into the environment's folder, and a first config if the folder has none. */
export async function prepareLab(
  { world, bus }: CommandSession,
  folder: string,
  platform: LabPlatform,
  wish: LabWish,
  args: readonly string[],
): Promise<LabHandle> {
  const { startLab } = await import("@talosmith/lab/host/start.ts");
  const home = labFolder(folder);
  const before = read(world, join(home, "block"));
  const lab = await startLab(world, {
    folder: home,
    args: ["--platform", platform.name, ...args, ...(before ? ["--address", before] : [])],
  });
  const block = lab.block.split(".").slice(0, 3).join(".");
  const { url = "", fingerprint = "", token = "" } = lab.services.proxmox ?? {};
  // The config refers to these files, so a lab that is started anew needs no change in it.
  const { ssh, rescue, hetzner } = lab.services;
  const known = {
    ...{ block, factory: lab.services.factory?.url ?? "", charts: lab.services.charts?.url ?? "" },
    ...(lab.services.proxmox && { url, fingerprint, token }),
    ...(ssh && { "ssh-host": ssh.host, "ssh-port": ssh.port, "ssh-host-key": ssh.fingerprint, "ssh-key": ssh.key?.trimEnd() }),
    ...(rescue && { "ssh-key": rescue.key?.trimEnd(), ...hostKeys(rescue) }),
    ...(hetzner && { "provider-url": hetzner.url, "provider-token": hetzner.token }),
  };
  for (const [name, value] of Object.entries(known)) writeDurably(world.files, join(home, name), `${value}\n`);
  const words = typedWords();
  const flags = words[0] === "lab" ? words.slice(2).filter((word) => word !== folder) : args;
  writeDurably(world.files, startedWith(home), `${[folder, ...flags].join("\n")}\n`);
  const config = join(folder, "config.yaml");
  if (!world.files.stat(config)) {
    const { writeNewConfig } = await import("../workflows/new-config.ts");
    writeNewConfig(world.files, config, await firstConfig(lab, block, platform, wish));
  }
  if (before && before !== block) {
    bus.emit({
      type: "notice",
      level: "warn",
      message: `the lab now has the addresses ${lab.block}, because ${before}.0/24 was in use; ${config} still has the old ones`,
      hint: `change the addresses in ${config}, or remove it and start the lab again`,
    });
  }
  return lab;
}

/** Writes a config for the platform that the lab simulates: a lab that already runs may simulate another one than the flag says. */
async function firstConfig({ services }: LabHandle, block: string, wanted: LabPlatform, wish: LabWish): Promise<string> {
  const platform = [wanted, ...LAB_PLATFORMS].find((one) => siteOf(one).isIn(services)) ?? wanted;
  const hosts = (services.proxmox?.hosts ?? "").split(",");
  return platform.lab.firstConfig({ block, hosts, machines: await siteOf(platform).machines() }, wish);
}

/** The SSH host key of each server's rescue system, by file name: "host-key-vps-1". */
function hostKeys(rescue: Record<string, string>): Record<string, string | undefined> {
  const names = (rescue.servers ?? "").split(",");
  return Object.fromEntries(names.map((name) => [`host-key-${name}`, rescue[`hostKey ${name}`]]));
}

function read(world: World, path: string): string | undefined {
  const content = world.files.read(path);
  return content && Buffer.from(content).toString("utf8").trim();
}

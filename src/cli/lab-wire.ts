import { join } from "node:path";
import type { LabHandle } from "@talosmith/lab/host/lab-file.ts";
import { parseCidr } from "@talosmith/lib/cidr.ts";
import { writeDurably } from "@talosmith/lib/durable.ts";
import { userError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import { labFolder } from "./lab-folder.ts";
import type { CommandSession } from "./session.ts";

export interface WireWish {
  /** The address of Proxmox in a config; connections to it are redirected to the lab. */
  as?: string;
  /** The nodes' network of that config; absent when nodes can be reached only through their hosts. */
  network?: string;
}

const wireFile = (folder: string) => join(labFolder(folder), "wire.yaml");

/** Makes the commands that are suggested from now on use this wire file. */
export type UseWire = (file: string) => void;

/** On a system without the lab's addresses: writes the wire file that leads to its ports, and returns a session whose connections go through it. */
export async function throughWire(
  session: CommandSession,
  folder: string,
  { redirects }: LabHandle,
  useWire: UseWire,
): Promise<CommandSession> {
  if (redirects === undefined) return session;
  const { world, bus } = session;
  const file = wireFile(folder);
  const lines = Object.entries(redirects).map(([from, to]) => `  "${from}": "${to}"\n`);
  const why = "# This system has no loopback address besides 127.0.0.1: its ports stand for the lab's addresses.\n";
  writeDurably(world.files, file, `${why}connect:\n${lines.join("")}`);
  useWire(file);
  const message = `this system has no loopback address besides 127.0.0.1; commands reach the lab through its ports:  --wire ${file}`;
  bus.emit({ type: "notice", level: "info", message });
  const { readWire } = await import("@talosmith/lib/world/wire-file.ts");
  const { wiredWorld } = await import("@talosmith/lib/world/wire.ts");
  return { ...session, world: wiredWorld(world, readWire(world.files, file)) };
}

const AUTHORITY = "factory-ca.pem";

/** Writes the file that redirects connections of an environment for real machines to the lab: `--wire <environment>/.lab/wire.yaml`. */
export async function writeLabWire({ world, bus }: CommandSession, folder: string, wish: WireWish): Promise<void> {
  const { readLab } = await import("@talosmith/lab/host/lab-file.ts");
  const lab = readLab(world, labFolder(folder));
  if (lab?.redirects) throw noSecondWire();
  const block = lab?.block.split(".").slice(0, 3).join(".") ?? "";
  const lines = [
    ...(wish.as === undefined
      ? []
      : [
          `  "${wish.as}:8006": "${new URL(lab?.services.proxmox?.url ?? `https://${block}.1:8006`).host}"`,
          `  "${wish.as}:22": "${block}.1:${lab?.services.ssh?.port ?? 22}"`,
        ]),
    `  "factory.talos.dev:443": "${lab?.services.factory?.secure ?? ""}"`,
    ...(wish.network === undefined ? [] : loginLines(lab?.services.rescue ?? {}, block)),
    ...(wish.network === undefined ? [] : [`  "${wish.network}": "${counterpart(wish.network, block)}"`]),
  ];
  const file = wireFile(folder);
  writeDurably(world.files, file, `# Written by \`talosmith lab start\`.\nca: ${AUTHORITY}\nconnect:\n${lines.join("\n")}\n`);
  writeDurably(world.files, join(labFolder(folder), AUTHORITY), lab?.services.factory?.ca ?? "");
  bus.emit({
    type: "notice",
    level: "info",
    message: `${file} redirects connections to this lab:  ${ownCommand("plan", "ENVIRONMENT", "--wire", file)}`,
  });
}

function noSecondWire() {
  return userError("LAB_NETWORK", {
    message: "Unable to redirect connections of another config to this lab",
    detail: "this system has no loopback address besides 127.0.0.1",
    hint: "start the lab without --as and --network, or on Linux",
  });
}

/** Redirects SSH to rented servers: a config expects port 22, and the lab listens on another one. */
function loginLines(rescue: Record<string, string>, block: string): string[] {
  const addresses = (rescue.servers ?? "").split(",").flatMap((name) => rescue[`address ${name}`] ?? []);
  return addresses.map((address) => `  "${address}:22": "${block}.${address.split(".").at(-1)}:${rescue.port}"`);
}

/** The lab's network for a network of the config. Machines keep the last part of their address, so a network larger than the lab's block does not fit. */
function counterpart(network: string, block: string): string {
  const cidr = parseCidr(network);
  if (cidr !== undefined && cidr.text === network && cidr.prefix >= 24) return `${block}.${cidr.network % 256}/${cidr.prefix}`;
  throw userError("LAB_NETWORK", {
    message: `Unable to redirect the network ${network} to the lab`,
    detail: "the lab has 256 addresses",
    hint: "give an IPv4 network of that size or less, such as --network 10.10.0.0/24",
  });
}

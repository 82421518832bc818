import { type Command, InvalidArgumentError, Option } from "commander";
import type { InitPlatform } from "../workflows/init.ts";
import type { InitWishes } from "../workflows/init-answers.ts";
import { type CommonFlags, command } from "./flags.ts";

interface InitFlags extends CommonFlags, InitWishes {
  yes?: boolean;
  force?: boolean;
}

const EXAMPLES = `  talosmith init proxmox environments/homelab          asks, on a terminal
  talosmith init metal environments/rack               for machines that wait in maintenance mode
  talosmith init vps environments/rented               for rented servers, through their rescue systems
  talosmith init proxmox environments/homelab --yes --url https://192.168.122.70:8006 --hosts pve1 --cidr 10.10.0.0/24

Without a terminal, or with --yes, nothing is asked and nobody is contacted: what is not said is as in environments/*-example,
and what only you can know is marked REPLACE_ME in the file.`;

export function initCommand(): Command {
  return command("init", "Make an environment: a folder with a commented config.yaml.", EXAMPLES)
    .argument("<platform>", "proxmox, metal or vps", platform)
    .argument("<folder>", "the folder to make, such as environments/homelab")
    .option("--name <name>", "name of the cluster (default: the folder's)")
    .option("--talos <version>", "release of Talos")
    .option("--endpoint <address>", "where the Kubernetes API is reached")
    .addOption(new Option("--cni <cni>", "pod network").choices(["flannel", "cilium", "none"]))
    .option("--cidr <network>", "network of the nodes")
    .option("--gateway <address>", "gateway of that network")
    .option("--control-planes <count>", "how many control planes", count)
    .option("--workers <count>", "how many workers", count)
    .option("--url <url>", "proxmox: address of its API")
    .option("--fingerprint <sha256>", "proxmox: fingerprint of its certificate")
    .option("--hosts <names>", "proxmox: hosts to use, with commas between", separated)
    .option("--disks <storage>", "proxmox: storage for the machines' disks")
    .option("--images <storage>", "proxmox: storage for the Talos image")
    .option("--bridge <bridge>", "proxmox: bridge for the machines")
    .option("--install-disk <path>", "metal: the disk Talos is installed to")
    .option("--addresses <addresses>", "vps: addresses of the servers, control planes first, with commas between", separated)
    .option("--prefix <length>", "vps: prefix length of these addresses", prefix)
    .option("--admin <networks>", "vps: networks you work from, with commas between", separated)
    .addOption(new Option("--provider <name>", "vps: who rents the servers out").choices(PROVIDERS))
    .option("-y, --yes", "ask nothing")
    .option("--force", "replace the config.yaml that is there")
    .action(async (where: InitPlatform, folder: string, flags: InitFlags) => {
      const { inSession } = await import("./session.ts");
      const { runInit } = await import("./init-run.ts");
      await inSession(flags, (session) => runInit(session, where, folder, flags));
    });
}

const PROVIDERS = ["hetzner", "hetzner-robot", "ovh", "contabo", "netcup"];

function platform(text: string): InitPlatform {
  if (text === "proxmox" || text === "metal" || text === "vps") return text;
  const known = text === "oci" ? `${text} is not available yet in this version` : "That is no platform";
  throw new InvalidArgumentError(`${known}; choose proxmox, metal or vps.`);
}

const separated = (text: string) => text.split(",");

function prefix(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 128) throw new InvalidArgumentError("It is a whole number up to 128.");
  return number;
}

function count(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0 || number > 100) throw new InvalidArgumentError("It is a whole number up to 100.");
  return number;
}

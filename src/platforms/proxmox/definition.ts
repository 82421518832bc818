import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { PlatformDefinition } from "../definition.ts";
import type { ConfigOnProxmox } from "./config/config-on-proxmox.ts";
import { hostPrepare } from "./host/command.ts";
import type { ProxmoxEnvironment } from "./proxmox-environment.ts";

/** Until a lab has one. */
const UNKNOWN_TOKEN = "rehearsal@pve!lab=00000000-0000-4000-8000-000000000000";

/** Virtual machines on Proxmox VE. */
export const proxmox: PlatformDefinition = {
  name: "proxmox",
  open: async (world, env: ProxmoxEnvironment, talos) => (await import("./platform.ts")).proxmoxPlatform(world, env, talos),
  words: {
    heading: ({ proxmox: { url } }: ConfigOnProxmox) => `proxmox ${new URL(url).hostname}`,
    notFound: "missing",
    takenDown: (machines) => `${machines} removed.`,
    kept: ({ shown }, { kept: [disk, ...others] = [] }) => [
      `the Talos images and templates on the hosts (other environments may use them; ${ownCommand("images", shown, "--prune", "--all")} removes those no machine needs)`,
      ...(disk === undefined
        ? []
        : [
            `the disks ${[disk, ...others].join(", ")} (the next machine of that name finds them again; to be rid of one, as root on its host:  pvesm free ${disk})`,
          ]),
    ],
  },
  init: {
    examples: [
      { args: "environments/homelab", about: "asks questions in a terminal" },
      { args: "environments/homelab --yes --url https://192.168.122.70:8006 --hosts pve1 --cidr 10.10.0.0/24" },
    ],
    flags: [
      { flags: "--url <url>", about: "address of its API" },
      { flags: "--fingerprint <sha256>", about: "fingerprint of its certificate" },
      { flags: "--hosts <names>", about: "hosts to use, separated by commas", many: "separated" },
      { flags: "--disks <storage>", about: "storage for the machines' disks" },
      { flags: "--images <storage>", about: "storage for the Talos image" },
      { flags: "--bridge <bridge>", about: "bridge for the machines" },
    ],
    write: async (...asked) => (await import("./init.ts")).writeProxmox(...asked),
    next: (lacking) =>
      lacking.some((message) => message.includes("PROXMOX_TOKEN")) ? ["export PROXMOX_TOKEN='user@realm!name=secret'"] : [],
  },
  trustOnFirstUse: async (...met) => (await import("./first-use.ts")).trustOnFirstUse(...met),
  commands: [hostPrepare],
  supportParts: async (world, env: ProxmoxEnvironment) => (await import("./support.ts")).supportParts(world, env),
  lab: {
    site: "datacenter",
    about: "a Proxmox cluster",
    flags: [
      { flags: "--hosts <names>", about: "names of the Proxmox hosts, separated by commas (pve1,pve2,pve3 by default)" },
      { flags: "--proxmox <release>", about: "release of Proxmox VE", choices: ["8.4", "9.2"], default: "9.2" },
      { flags: "--gpu <hosts>", about: "put an NVIDIA card into these hosts, separated by commas" },
    ],
    firstConfig: async (...asked) => (await import("./lab-config.ts")).labConfig(...asked),
    shape: async (config: ConfigOnProxmox) => (await import("./lab-shape.ts")).labShape(config),
    realShape: async (world, env: ProxmoxEnvironment, signal) => (await import("./lab-real.ts")).realShape(world, env, signal),
    credentials: ({ proxmox: { token = UNKNOWN_TOKEN, password = "unknown" } = {} }) => {
      const [, user = "", name = "", secret = ""] = /^([^!]*)!([^=]*)=(.*)$/.exec(token) ?? [];
      return [
        { path: ["proxmox", "token"], value: token },
        { path: ["proxmox", "user"], value: "root@pam" },
        { path: ["proxmox", "password"], value: password },
        { path: ["proxmox_api_user"], value: user },
        { path: ["proxmox_api_token_id"], value: name },
        { path: ["proxmox_api_token_secret"], value: secret },
      ];
    },
  },
};

import type { PlatformDefinition } from "../definition.ts";
import type { ConfigOnVps } from "./config/config-on-vps.ts";
import type { VpsEnvironment } from "./vps-environment.ts";

/** Rented servers, overwritten with Talos through their rescue systems. */
export const vps: PlatformDefinition = {
  name: "vps",
  open: async (world, env: VpsEnvironment, talos) => (await import("./platform.ts")).vpsPlatform(world, env, talos),
  words: {
    heading: ({ vps: { provider } }: ConfigOnVps) => (provider ? `vps at ${provider.name}` : "vps"),
    // A rented server is always there; whether it is a node can only be told by asking it.
    notFound: "silent",
    takenDown: (machines) =>
      `${machines} wiped. The servers are still rented and yours: their system disks are empty, and they start nothing until you install something through your provider's panel, or run up again from their rescue systems.`,
    beforeUp: "boot it into its rescue system",
    replacedByUp: "a rented server is replaced by overwriting its disk",
  },
  init: {
    examples: [{ args: "environments/rented", about: "for rented servers, through their rescue systems" }],
    flags: [
      {
        flags: "--addresses <addresses>",
        about: "addresses of the servers, control planes first, separated by commas",
        many: "separated",
      },
      { flags: "--prefix <length>", about: "prefix length of these addresses", check: prefix },
      { flags: "--admin <networks>", about: "networks that you work from, separated by commas", many: "separated" },
      {
        flags: "--provider <name>",
        about: "provider that rents out the servers",
        choices: ["hetzner", "hetzner-robot", "ovh", "contabo", "netcup"],
      },
    ],
    write: async (...asked) => (await import("./init.ts")).writeVps(...asked),
  },
  lab: {
    site: "rentedServers",
    about: "rented servers",
    flags: [],
    firstConfig: async (lab) => (await import("./lab-config.ts")).labConfig(lab),
    shape: async (config: ConfigOnVps) => (await import("./lab-shape.ts")).labShape(config),
    credentials: ({ hetzner }) => [{ path: ["vps", "provider", "token"], value: hetzner?.token ?? "none" }],
  },
};

function prefix(text: string): string | undefined {
  const number = Number(text);
  return Number.isInteger(number) && number >= 1 && number <= 128 ? undefined : "It must be a whole number up to 128.";
}

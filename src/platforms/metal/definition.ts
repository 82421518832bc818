import type { PlatformDefinition } from "../definition.ts";
import type { ConfigOnMetal } from "./config/config-on-metal.ts";
import type { MetalEnvironment } from "./metal-environment.ts";

/** Machines that exist and wait in maintenance mode. */
export const metal: PlatformDefinition = {
  name: "metal",
  open: async (_, env: MetalEnvironment, talos) => (await import("./platform.ts")).metalPlatform(env, talos),
  words: {
    heading: () => "metal",
    notFound: "missing",
    takenDown: (machines) => `${machines} wiped and waiting in maintenance mode, yours to use or to switch off.`,
    beforeUp: "boot it into Talos maintenance mode",
  },
  init: {
    examples: [{ args: "environments/rack", about: "for machines that wait in maintenance mode" }],
    flags: [{ flags: "--install-disk <path>", about: "disk to install Talos on" }],
    write: async (...asked) => (await import("./init.ts")).writeMetal(...asked),
  },
  lab: {
    site: "machineRoom",
    about: "machines of their own",
    flags: [],
    firstConfig: async (lab) => (await import("./lab-config.ts")).labConfig(lab),
    shape: async (config: ConfigOnMetal) => (await import("./lab-shape.ts")).labShape(config),
    credentials: () => [],
  },
};

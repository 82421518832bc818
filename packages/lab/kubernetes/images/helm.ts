import type { Image } from "../pods/program.ts";

/** The real helm's command line, over the lab's network. */
export const helm: Image = {
  name: "alpine/helm",
  pullMs: 5000,
  entrypoint: ["helm"],
  // Late: a template engine that only clusters with addons need.
  program: async (run) => (await import("../helm/command.ts")).helmCommand(run),
};

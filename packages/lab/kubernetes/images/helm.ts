import type { Image } from "../pods/program.ts";

/** The real helm's command line, over the lab's network. */
export const helm: Image = {
  name: "alpine/helm",
  pullMs: 5000,
  entrypoint: ["helm"],
  // Imported late: only clusters with addons need the template engine.
  program: async (run) => (await import("../helm/command.ts")).helmCommand(run),
};

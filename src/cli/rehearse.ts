import type { Command } from "commander";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

const EXAMPLES = `  talosmith rehearse environments/homelab            up, verify, an empty plan and down, on a lab shaped from the config`;

interface RehearseFlags extends CommonFlags {
  seed: string;
}

export function rehearseCommand(): Command {
  return command(
    "rehearse",
    "Run the unchanged config against a simulated datacenter that is shaped from it. Contacts nothing else and changes no file.",
    EXAMPLES,
  )
    .argument(...ENVIRONMENT)
    .option("--seed <text>", "seed of random choices: the same seed gives the same lab", "talosmith")
    .action(async (folder: string, flags: RehearseFlags) => {
      const { inSession } = await import("./session.ts");
      const { rehearse } = await import("../rehearsal/rehearse.ts");
      const { reportView } = await import("../views/report-view.ts");
      const { duration } = await import("../views/duration.ts");
      const views = { report: reportView, duration };
      await inSession(flags, (session) => rehearse(session, folder, { seed: flags.seed }, views));
    });
}

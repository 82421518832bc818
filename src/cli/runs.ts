import type { Command } from "commander";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

const EXAMPLES = `  talosmith runs environments/homelab
  talosmith runs environments/homelab --json`;

export function runsCommand(): Command {
  return command("runs", "List the runs of this environment, newest first.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .action(async (folder: string, flags: CommonFlags) => {
      const { inSession } = await import("./session.ts");
      const { showRuns } = await import("../workflows/runs.ts");
      await inSession(flags, (session) => showRuns(session, folder));
    });
}

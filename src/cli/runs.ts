import type { Command } from "commander";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

const EXAMPLES = `  talosmith runs environments/homelab
  talosmith runs environments/homelab --json
  talosmith runs show environments/homelab last   what the latest run planned and did`;

const SHOW_EXAMPLES = `  talosmith runs show environments/homelab                        the latest run
  talosmith runs show environments/homelab 2026-11-15T20-14-03
  talosmith runs show environments/homelab 2026-11-15T20          the only run with this beginning
  talosmith runs show environments/homelab --json | jq '.result.stages[] | {stage, ms}'`;

export function runsCommand(): Command {
  return command("runs", "List the runs of this environment, newest first.", EXAMPLES, "accepted")
    .argument(...ENVIRONMENT)
    .action(async (folder: string, flags: CommonFlags) => {
      const { inSession } = await import("./session.ts");
      const { showRuns } = await import("../workflows/runs.ts");
      await inSession(flags, (session) => showRuns(session, folder));
    })
    .addCommand(showCommand());
}

function showCommand(): Command {
  return command("show", "Show one run: its plan, what was done, times of stages, errors, files.", SHOW_EXAMPLES, "accepted")
    .argument(...ENVIRONMENT)
    .argument("[run]", 'its name, the beginning of its name, or "last"', "last")
    .action(async (folder: string, run: string, _: CommonFlags, self: Command) => {
      // `runs` has the same flags, and Commander gives them to it.
      const flags = self.optsWithGlobals<CommonFlags>();
      const { inSession } = await import("./session.ts");
      const { showRun } = await import("../workflows/run-show.ts");
      const { reportView } = await import("../views/report-view.ts");
      await inSession(flags, (session) => showRun(session, folder, run, reportView()));
    });
}

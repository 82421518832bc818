import type { Command } from "commander";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

const EXAMPLES = `  talosmith doctor environments/homelab
  talosmith doctor environments/homelab --json

Exit codes: 0 nothing in the way, 1 problems.`;

export function doctorCommand(): Command {
  return command("doctor", "Check every prerequisite at once, each failure with its fix. Changes nothing.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .action(async (folder: string, flags: CommonFlags) => {
      const { inSession } = await import("./session.ts");
      const { diagnose } = await import("../workflows/doctor.ts");
      const { onFirstUse } = await import("./first-use.ts");
      await inSession(flags, (session) => onFirstUse(session, folder, flags, () => diagnose(session, folder)));
    });
}

import type { Command } from "commander";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

const EXAMPLES = `  talosmith doctor environments/homelab
  talosmith doctor environments/homelab --json

Exit codes: 0 no problems, 1 problems.`;

export function doctorCommand(): Command {
  return command("doctor", "Check all prerequisites and show how to fix each problem. Changes nothing.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .action(async (folder: string, flags: CommonFlags) => {
      const { inSession } = await import("./session.ts");
      const { diagnose } = await import("../workflows/doctor.ts");
      const { onFirstUse } = await import("./first-use.ts");
      await inSession(flags, (session) => onFirstUse(session, folder, flags, () => diagnose(session, folder)));
    });
}

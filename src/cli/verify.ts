import type { Command } from "commander";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

const EXAMPLES = `  talosmith verify environments/homelab
  talosmith verify environments/homelab --json

Exit codes: 0 no problems, 1 problems.`;

export function verifyCommand(): Command {
  return command(
    "verify",
    "Check that the cluster matches the config. Creates pods to test its network, and removes them.",
    EXAMPLES,
  )
    .argument(...ENVIRONMENT)
    .action(async (folder: string, flags: CommonFlags) => {
      const { inSession } = await import("./session.ts");
      const { verifyEnvironment } = await import("../workflows/verify.ts");
      await inSession(flags, (session) => verifyEnvironment(session, folder));
    });
}

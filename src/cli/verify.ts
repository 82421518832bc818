import type { Command } from "commander";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

const EXAMPLES = `  talosmith verify environments/homelab
  talosmith verify environments/homelab --json

Exit codes: 0 all well, 1 problems.`;

export function verifyCommand(): Command {
  return command(
    "verify",
    "Check that the cluster is what the config says. Pods try its network, and are removed again.",
    EXAMPLES,
  )
    .argument(...ENVIRONMENT)
    .action(async (folder: string, flags: CommonFlags) => {
      const { inSession } = await import("./session.ts");
      const { verifyEnvironment } = await import("../workflows/verify.ts");
      await inSession(flags, (session) => verifyEnvironment(session, folder));
    });
}

import type { Command } from "commander";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

const EXAMPLES = `  talosmith status environments/homelab
  talosmith status environments/homelab --json`;

export function statusCommand(): Command {
  return command("status", "Show the machines of this environment and their current state.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .action(async (folder: string, flags: CommonFlags) => {
      const { inSession } = await import("./session.ts");
      const { showStatus } = await import("../workflows/status.ts");
      await inSession(flags, (session) => showStatus(session, folder));
    });
}

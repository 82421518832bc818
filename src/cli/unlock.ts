import type { Command } from "commander";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

const EXAMPLES = `  talosmith unlock environments/homelab

For the lock of a command that was killed on another computer or in a container, where talosmith cannot see it. The lock of a command that
is still alive is never removed. The lock of a command that was killed on this computer needs no unlock: the next command takes it over.`;

export function unlockCommand(): Command {
  return command("unlock", "Remove the lock of a command that no longer runs.", EXAMPLES, "accepted")
    .argument(...ENVIRONMENT)
    .action(async (folder: string, flags: CommonFlags) => {
      const { inSession } = await import("./session.ts");
      const { unlock } = await import("../workflows/unlock.ts");
      await inSession(flags, (session) => unlock(session, folder));
    });
}

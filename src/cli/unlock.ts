import type { Command } from "commander";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

const EXAMPLES = `  talosmith unlock environments/homelab

For a lock whose command was killed where that cannot be seen from here: on another computer, or in a container. One that still gives signs of
life is never taken. The lock of a command that was killed on this computer needs no unlock: the next command takes it over.`;

export function unlockCommand(): Command {
  return command("unlock", "Take away the lock of a command that does not run any more.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .action(async (folder: string, flags: CommonFlags) => {
      const { inSession } = await import("./session.ts");
      const { unlock } = await import("../workflows/unlock.ts");
      await inSession(flags, (session) => unlock(session, folder));
    });
}

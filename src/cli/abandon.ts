import type { Command } from "commander";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

interface AbandonFlags extends CommonFlags {
  yes?: boolean;
}

const EXAMPLES = `  talosmith abandon environments/homelab         gives up an interrupted node replace, stop or start
  talosmith abandon environments/homelab --yes   does not ask

Refused while it would leave something half done; then the operation has to be finished: run its command again.`;

export function abandonCommand(): Command {
  return command("abandon", "Give up an operation that was interrupted.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .option("-y, --yes", "do not ask")
    .action(async (folder: string, flags: AbandonFlags) => {
      const { inSession } = await import("./session.ts");
      const { abandonOperation } = await import("../operations/abandon.ts");
      const { reportView } = await import("../views/report-view.ts");
      const { agreeToAll } = await import("./agree.ts");
      await inSession(flags, (session) => {
        const confirm = (words: string) => agreeToAll(`This gives up "${words}"`, flags, session.signal);
        return abandonOperation(session, folder, { confirm }, reportView());
      });
    });
}

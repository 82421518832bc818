import type { Command } from "commander";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

interface AbandonFlags extends CommonFlags {
  yes?: boolean;
}

const EXAMPLES = `  talosmith abandon environments/homelab         abandons an interrupted node replace, stop or start
  talosmith abandon environments/homelab --yes   does not ask

Refused if it would leave the cluster half changed; in that case finish the operation: run its command again.`;

export function abandonCommand(): Command {
  return command("abandon", "Abandon an interrupted operation.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .option("-y, --yes", "do not ask")
    .action(async (folder: string, flags: AbandonFlags) => {
      const { inSession } = await import("./session.ts");
      const { abandonOperation } = await import("../operations/abandon.ts");
      const { reportView } = await import("../views/report-view.ts");
      const { agreeToAll } = await import("./agree.ts");
      await inSession(flags, (session) => {
        const confirm = (words: string) => agreeToAll(`This abandons "${words}"`, flags, session.signal);
        return abandonOperation(session, folder, { confirm }, reportView());
      });
    });
}

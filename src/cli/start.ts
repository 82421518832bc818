import type { Command } from "commander";
import type { Prepared } from "../workflows/prepare.ts";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

interface StartFlags extends CommonFlags {
  yes?: boolean;
}

const EXAMPLES = `  talosmith start environments/homelab         after talosmith stop, or after a power cut
  talosmith start environments/homelab --yes   does not ask

Control planes are started first; when etcd and the Kubernetes API are back, the workers; then the checks of talosmith verify run.
Machines that talosmith cannot switch on are listed, and it waits for them. Interrupted: run the same command again.`;

export function startCommand(): Command {
  return command("start", "Start all machines of a cluster, in order, and verify it.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .option("-y, --yes", "do not ask")
    .action(async (folder: string, flags: StartFlags) => {
      const { inSession } = await import("./session.ts");
      const { startCluster } = await import("../operations/start.ts");
      const { reportView } = await import("../views/report-view.ts");
      const { agree } = await import("./agree.ts");
      await inSession(flags, (session) => {
        const confirm = (plan: Prepared) => agree(plan.result, flags, session.signal);
        return startCluster(session, folder, { confirm }, reportView());
      });
    });
}

import type { Command } from "commander";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

interface StopFlags extends CommonFlags {
  yes?: boolean;
  allowDegraded?: boolean;
}

const EXAMPLES = `  talosmith stop environments/homelab         shows what happens, then asks
  talosmith stop environments/homelab --yes   does not ask

Workers are shut down first, then the control planes one after the other, the leader of etcd last. Disks and data stay.
Interrupted: run the same command again, or  talosmith start environments/homelab  to start all machines again.`;

export function stopCommand(): Command {
  return command("stop", "Shut down all machines of a cluster, in order.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .option("-y, --yes", "do not ask")
    .option("--allow-degraded", "stop although Longhorn volumes or Ceph lack copies")
    .action(async (folder: string, flags: StopFlags) => {
      const { inSession } = await import("./session.ts");
      const { stopCluster } = await import("../operations/stop.ts");
      const { reportView } = await import("../views/report-view.ts");
      const { agreeToAll } = await import("./agree.ts");
      await inSession(flags, (session) => {
        const confirm = () => agreeToAll("This shuts down all machines of the cluster", flags, session.signal);
        return stopCluster(session, folder, { allowDegraded: flags.allowDegraded ?? false, confirm }, reportView());
      });
    });
}

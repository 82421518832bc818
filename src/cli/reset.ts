import type { Command } from "commander";
import { type CommonFlags, command, destroyDisk, ENVIRONMENT, noSnapshot } from "./flags.ts";

interface ResetFlags extends CommonFlags {
  yes?: boolean;
  destroyDisk: string[];
  snapshot: boolean;
}

const EXAMPLES = `  talosmith reset environments/homelab            shows what will be removed, then asks for the cluster's name
  talosmith reset environments/homelab --yes      does not ask

Runs down and then up: the machines are created again with the same secrets, names and addresses, and everything in the cluster is lost.
Disks with keep stay. The prerequisites of up are checked first: a cluster that could not come up again is not taken down.`;

export function resetCommand(): Command {
  const reset = command("reset", "Remove the cluster and create it again: down, then up.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .option("-y, --yes", "do not ask");
  return noSnapshot(destroyDisk(reset)).action(async (folder: string, flags: ResetFlags) => {
    const { inSession } = await import("./session.ts");
    const { reset } = await import("../workflows/reset.ts");
    const { reportView } = await import("../views/report-view.ts");
    const { agree, agreeByName } = await import("./agree.ts");
    await inSession(flags, (session) =>
      reset(
        session,
        folder,
        {
          down: {
            destroyDisks: flags.destroyDisk,
            noSnapshot: !flags.snapshot,
            confirm: (name, plan) => agreeByName(name, plan, "Recreating these machines", flags, session.signal),
          },
          up: (plan) => agree(plan.result, flags, session.signal),
        },
        reportView,
      ),
    );
  });
}

import type { Command } from "commander";
import { type CommonFlags, command, destroyDisk, ENVIRONMENT, noSnapshot } from "./flags.ts";

interface DownFlags extends CommonFlags {
  yes?: boolean;
  destroyDisk: string[];
  snapshot: boolean;
}

const EXAMPLES = `  talosmith down environments/homelab            shows what will be removed, then asks for the cluster's name
  talosmith down environments/homelab --yes      does not ask

Removes the machines that talosmith made, with their disks, and nothing else. Machines that it did not make are wiped and stay. A disk that
talosmith did not make stops the command until it is moved or named with --destroy-disk worker-1/scsi5. Kept: secrets.yaml, images and templates.
Takes a snapshot of etcd first; the last five are kept in .talosmith/snapshots.`;

export function downCommand(): Command {
  const down = command("down", "Remove what this environment owns, and nothing else.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .option("-y, --yes", "do not ask");
  return noSnapshot(destroyDisk(down)).action(async (folder: string, flags: DownFlags) => {
    const { inSession } = await import("./session.ts");
    const { takeDown } = await import("../workflows/take-down.ts");
    const { reportView } = await import("../views/report-view.ts");
    const { agreeByName } = await import("./agree.ts");
    await inSession(flags, (session) =>
      takeDown(
        session,
        folder,
        {
          destroyDisks: flags.destroyDisk,
          noSnapshot: !flags.snapshot,
          confirm: (name, plan) => agreeByName(name, plan, "Removing or wiping these machines", flags, session.signal),
        },
        reportView(),
      ),
    );
  });
}

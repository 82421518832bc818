import type { Command } from "commander";
import { type CommonFlags, command, destroyDisk, ENVIRONMENT, noSnapshot } from "./flags.ts";

interface DownFlags extends CommonFlags {
  yes?: boolean;
  destroyDisk: string[];
  snapshot: boolean;
}

const EXAMPLES = `  talosmith down environments/homelab            shows what goes, then asks for the cluster's name
  talosmith down environments/homelab --yes      does not ask

Removes what this environment owns and nothing else: machines with their disks; what somebody else made is wiped and stays. A disk that
somebody else attached to a machine stops it until the disk is moved or named with --destroy-disk worker-1/scsi5. Kept: secrets.yaml, images and templates.
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
          confirm: (name, plan) => agreeByName(name, plan, "Removing these machines, or wiping them", flags, session.signal),
        },
        reportView(),
      ),
    );
  });
}

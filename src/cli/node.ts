import type { Command } from "commander";
import type { Prepared } from "../workflows/prepare.ts";
import { type CommonFlags, command, destroyDisk, ENVIRONMENT, ignorePdb, noSnapshot, plainCommand, verbose } from "./flags.ts";

interface ReplaceFlags extends CommonFlags {
  yes?: boolean;
  destroyDisk: string[];
  ignorePdb: string[];
  allowVolumeLoss?: boolean;
  snapshot: boolean;
}

const EXAMPLES = `  talosmith node replace environments/homelab worker-2         shows what happens, then asks
  talosmith node replace environments/homelab worker-2 --yes   does not ask

The node is drained and leaves etcd and Kubernetes; its machine is removed with its disks (wiped, where talosmith did not make it) and created again from the config.
Interrupted: run the same command again; until then other commands do not change the cluster. To abandon it:  talosmith abandon environments/homelab`;

export function nodeCommand(): Command {
  const examples = "  talosmith node replace environments/homelab worker-2";
  return plainCommand("node", "Commands for a single node.", examples).addCommand(replaceCommand());
}

function replaceCommand(): Command {
  const replace = command("replace", "Replace a node's machine with a new one.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .argument("<node>", "the node's name in the config")
    .option("-y, --yes", "do not ask")
    .option("--allow-volume-loss", "replace it although it has the only copy of Kubernetes volumes");
  return verbose(noSnapshot(ignorePdb(destroyDisk(replace)))).action(
    async (folder: string, node: string, flags: ReplaceFlags) => {
      const { inSession } = await import("./session.ts");
      const { replaceNode } = await import("../operations/node-replace.ts");
      const { reportView } = await import("../views/report-view.ts");
      const { agree } = await import("./agree.ts");
      await inSession(flags, (session) => {
        const wish = {
          node,
          destroyDisks: flags.destroyDisk,
          ignoredBudgets: flags.ignorePdb,
          allowVolumeLoss: flags.allowVolumeLoss ?? false,
          noSnapshot: !flags.snapshot,
          confirm: (plan: Prepared) => agree(plan.result, flags, session.signal, `This replaces the machine of ${node}`),
        };
        return replaceNode(session, folder, wish, reportView());
      });
    },
  );
}

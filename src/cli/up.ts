import type { Command } from "commander";
import type { Prepared } from "../workflows/prepare.ts";
import {
  type CommonFlags,
  command,
  destroyDisk,
  ENVIRONMENT,
  ignorePdb,
  noSnapshot,
  removeAddon,
  repeatable,
  type StageFlags,
  stageOptions,
  stagesOf,
  verbose,
} from "./flags.ts";

interface UpFlags extends CommonFlags, StageFlags {
  yes?: boolean;
  allowRemove: string[];
  destroyDisk: string[];
  removeAddon: string[];
  ignorePdb: string[];
  allowVolumeLoss: string[];
  snapshot: boolean;
}

const EXAMPLES = `  talosmith up environments/homelab
  talosmith up environments/homelab --until provision           machines only
  talosmith up environments/homelab --only addons               when the earlier stages are done
  talosmith up environments/homelab --yes                       does not ask (restarts included)
  talosmith up environments/homelab --allow-remove worker-3     removes a node that is no longer in the config
  talosmith up environments/homelab --remove-addon longhorn     removes an addon that is no longer in the config
  talosmith up environments/homelab --json --yes | jq .type

Killed, interrupted or failed: run the same command again; it continues from the current state.`;

export function upCommand(): Command {
  const up = stageOptions(
    command("up", "Create or change the cluster to match the config.", EXAMPLES).argument(...ENVIRONMENT),
  ).option("-y, --yes", "do not ask; never covers removing or replacing a node, nor data on a disk the config does not name");
  repeatable(up, "--allow-remove <node>", "this node may be removed or replaced");
  verbose(noSnapshot(ignorePdb(destroyDisk(up))));
  const volumeLoss = "this node may be removed although it has the only copy of Kubernetes volumes";
  repeatable(up, "--allow-volume-loss <node>", volumeLoss);
  return removeAddon(up).action(async (folder: string, flags: UpFlags) => {
    const { inSession } = await import("./session.ts");
    const { bringUp } = await import("../workflows/bring-up.ts");
    const { reportView } = await import("../views/report-view.ts");
    const { agree } = await import("./agree.ts");
    const { onFirstUse } = await import("./first-use.ts");
    await inSession(flags, (session) => {
      const wish = {
        stages: stagesOf(flags),
        allowRemove: flags.allowRemove,
        destroyDisks: flags.destroyDisk,
        removeAddons: flags.removeAddon,
        ignoredBudgets: flags.ignorePdb,
        allowVolumeLoss: flags.allowVolumeLoss,
        noSnapshot: !flags.snapshot,
        confirm: (plan: Prepared) => agree(plan.result, flags, session.signal),
      };
      return onFirstUse(session, folder, flags, () => bringUp(session, folder, wish, reportView()));
    });
  });
}

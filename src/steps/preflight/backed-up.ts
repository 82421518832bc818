import { ownCommand } from "@talosmith/lib/own-command.ts";
import { type Check, check, type Finding } from "../../engine/step.ts";
import { backupState } from "../../environment/backup/records.ts";
import type { Environment } from "../../environment/environment.ts";

/** Checks that files that cannot be recreated have a backup. */
export function backedUp(env: Environment): Check {
  return check({
    id: "preflight/backup",
    stage: "preflight",
    title: "backup",
    run: async ({ world }) => [findingFor(env, backupState(world.files, env.folder))],
  });
}

function findingFor({ shown }: Environment, state: ReturnType<typeof backupState>): Finding {
  const hint = `${ownCommand("backup", shown)} --to FOLDER-ON-ANOTHER-DISK/ --new-key FILE (later: --recipient age1…)`;
  switch (state.is) {
    case "needless":
      return { level: "ok", code: "BACKUP", message: "nothing to back up yet" };
    case "current":
      return { level: "ok", code: "BACKUP", message: `backed up at ${state.last.at}` };
    case "missing":
      return {
        level: "warn",
        code: "NO_BACKUP",
        message: "there is no backup: if secrets.yaml is lost, access to the cluster is lost",
        hint,
      };
    case "old":
      return {
        level: "warn",
        code: "BACKUP_OLD",
        message: `the last backup (${state.last.at}) is older than ${state.changed.join(", ")}`,
        hint,
      };
  }
}

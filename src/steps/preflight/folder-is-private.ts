import { basename } from "node:path";
import { type Check, check, type Finding } from "../../engine/step.ts";
import type { Environment } from "../../environment/environment.ts";
import { PRIVATE_FILE, paths } from "../../environment/folder.ts";

/** The files that give power over the cluster are readable by their owner alone. */
export function folderIsPrivate(env: Environment): Check {
  return check({
    id: "preflight/folder",
    stage: "preflight",
    title: `environment ${env.shown}`,
    run: async ({ world }) => {
      const { folder, shown } = env;
      const files = [
        ...[paths.secrets(folder), paths.ageKey(folder), paths.talosconfig(folder), paths.kubeconfig(folder)],
        ...(["controlplane", "worker"] as const).map((role) => paths.machineConfig(folder, role)),
      ];
      const open = files.filter((path) => ((world.files.stat(path)?.mode ?? 0) & 0o077) !== 0).map((path) => basename(path));
      if (open.length === 0)
        return [{ level: "ok", code: "FOLDER", message: "config is valid; secrets are readable by you alone" }];
      return open.map(
        (file): Finding => ({
          level: "warn",
          code: "FOLDER_OPEN",
          message: `${shown}/${file} can be read by others, and gives power over the cluster`,
          hint: `chmod ${PRIVATE_FILE.toString(8)} ${shown}/${file}`,
        }),
      );
    },
  });
}

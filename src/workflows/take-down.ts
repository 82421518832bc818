import type { Session } from "../engine/context.ts";
import type { Environment } from "../environment/environment.ts";
import type { Redactor } from "../lib/secret.ts";
import { down } from "./down.ts";
import { operate } from "./operate.ts";
import type { Report } from "./report.ts";

export interface DownWish {
  takeLockFrom?: string;
  /** Asks for the cluster's name. */
  confirm(name: string): Promise<boolean>;
}

/** `talosmith down` */
export function takeDown(
  session: Session & { redactor: Redactor },
  folder: string,
  wish: DownWish,
  report: Report,
): Promise<number> {
  return operate(
    session,
    folder,
    {
      command: "down",
      wish: { workflow: down, until: "verify" },
      allowRemove: [],
      confirm: (_, env) => wish.confirm(env.config.cluster.name),
      ...(wish.takeLockFrom !== undefined && { takeLockFrom: wish.takeLockFrom }),
      nothingToDo: ({ config, shown }, found) =>
        found.environment === undefined
          ? `${config.cluster.name}: there is no ${shown}/secrets.yaml, and without it nothing can be told to be ours`
          : `${config.cluster.name}: nothing of it exists`,
      done: (env, results) => {
        const removed = results.filter((one) => one.outcome === "changed").length;
        return {
          summary: `${env.config.cluster.name} is down: ${removed} machine${removed === 1 ? "" : "s"} removed. ${kept(env)}`,
          next: [],
        };
      },
    },
    report,
  );
}

/** What is left, and how to be rid of it too. */
function kept(env: Environment): string {
  return `Kept: ${env.shown}/secrets.yaml (delete the folder when you will never want this cluster back), and the Talos images and templates on the hosts (other environments may use them; remove them in the Proxmox UI).`;
}

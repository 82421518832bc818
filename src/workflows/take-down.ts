import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Session } from "../engine/context.ts";
import type { PlanResult } from "../engine/result.ts";
import type { StepResult } from "../engine/run.ts";
import type { Environment } from "../environment/environment.ts";
import type { Inventory } from "../platforms/platform.ts";
import { down } from "./down.ts";
import { runMutatingCommand } from "./mutating-command.ts";
import type { Report } from "./report.ts";
import { ALL_STAGES } from "./stages.ts";

export interface DownWish {
  /** Disks that we did not make and that may be deleted with their machines. */
  destroyDisks?: readonly string[];
  /** Takes no snapshot of etcd before. */
  noSnapshot?: boolean;
  /** Asks for the cluster's name. */
  confirm(name: string, plan: PlanResult): Promise<boolean>;
}

/** `talosmith down` */
export function takeDown(
  session: Session & { redactor: Redactor },
  folder: string,
  wish: DownWish,
  report: Report,
): Promise<number> {
  return runMutatingCommand(
    session,
    folder,
    {
      command: "down",
      // A silent machine may be half-way through it.
      endsOperations: ({ silent = [] }) => silent.length === 0,
      wish: { workflow: down, stages: ALL_STAGES, noSnapshot: wish.noSnapshot ?? false },
      allowRemove: [],
      destroyDisks: wish.destroyDisks ?? [],
      confirm: ({ result }, env) => wish.confirm(env.config.cluster.name, result),
      nothingToDo: ({ config, shown }, found) =>
        found.environment === undefined
          ? `${config.cluster.name}: there is no ${shown}/secrets.yaml, and without it nothing can be told to be ours`
          : `${config.cluster.name}: nothing of it ${(found.silent ?? []).length > 0 ? `answers.${unheard(found)}` : "exists"}`,
      done: (env, results, _, found) => {
        const isMachine = (one: StepResult) => one.changes.some(({ subject }) => subject.startsWith("machine "));
        const isSnapshot = (one: StepResult) => one.changes.some(({ verb }) => verb === "run");
        const changed = results.filter((one) => one.outcome === "changed");
        const gone = changed.filter(isMachine).length;
        const rest = changed
          .filter((one) => !isMachine(one) && !isSnapshot(one))
          .flatMap((one) => one.changes.map(({ subject }) => subject));
        const besides = rest.length === 0 ? "" : ` Removed besides: ${rest.join(", ")}.`;
        const machines = `${gone} machine${gone === 1 ? "" : "s"}`;
        return {
          summary: `${env.config.cluster.name} is down: ${WHAT_HAPPENED[env.config.platform]?.(machines)}${besides}${unheard(found)} ${kept(env, found)}`,
          next: [],
        };
      },
    },
    report,
  );
}

const WHAT_HAPPENED: Readonly<Record<string, (machines: string) => string>> = {
  proxmox: (machines: string) => `${machines} removed.`,
  vps: (machines: string) =>
    `${machines} wiped. The servers are still rented and yours: their system disks are empty, and they start nothing until you install something through your provider's panel, or run up again from their rescue systems.`,
  metal: (machines: string) => `${machines} wiped and waiting in maintenance mode, yours to use or to switch off.`,
};

/** Who was not there to be told. */
function unheard({ silent = [] }: Inventory): string {
  if (silent.length === 0) return "";
  return ` Silent, and left as they are: ${silent.join(", ")}; one that has a config of this cluster is its node again when it starts: run down once more then.`;
}

/** What is left, and how to be rid of it too. */
function kept(env: Environment, found: Inventory): string {
  const folder = `${env.shown}/secrets.yaml (delete the folder when you will never want this cluster back)`;
  if (env.config.platform !== "proxmox") return `Kept: ${folder}.`;
  const images = `the Talos images and templates on the hosts (other environments may use them; talosmith images ${env.shown} --prune --all removes those no machine needs)`;
  const disks = found.kept ?? [];
  if (disks.length === 0) return `Kept: ${folder}, and ${images}.`;
  return `Kept: ${folder}; ${images}; and the disks ${disks.join(", ")} (the next machine of that name finds them again; to be rid of one, as root on its host:  pvesm free ${disks[0]}).`;
}

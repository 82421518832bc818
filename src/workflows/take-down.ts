import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Session } from "../engine/context.ts";
import type { PlanResult } from "../engine/result.ts";
import type { StepResult } from "../engine/run.ts";
import type { Environment } from "../environment/environment.ts";
import { definitionOf } from "../platforms/all.ts";
import type { Inventory } from "../platforms/platform.ts";
import { down } from "./down.ts";
import { runMutatingCommand } from "./mutating-command.ts";
import type { Report } from "./report.ts";
import { ALL_STAGES } from "./stages.ts";

export interface DownWish {
  /** Disks that we did not make and that may be deleted with their machines. */
  destroyDisks?: readonly string[];
  /** Takes no snapshot of etcd first. */
  noSnapshot?: boolean;
  /** Asks for the cluster's name. */
  confirm(name: string, plan: PlanResult): Promise<boolean>;
}

/** `talosmith down`: removes what the environment owns. */
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
      // A silent machine may be in the middle of the operation.
      endsOperations: ({ silent = [] }) => silent.length === 0,
      wish: { workflow: down, stages: ALL_STAGES, removesAll: true, noSnapshot: wish.noSnapshot ?? false },
      allowRemove: [],
      destroyDisks: wish.destroyDisks ?? [],
      confirm: ({ result }, env) => wish.confirm(env.config.cluster.name, result),
      nothingToDo: ({ config, shown }, found) =>
        found.environment === undefined
          ? `${config.cluster.name}: there is no ${shown}/secrets.yaml, and without it no machine can be recognised as part of this environment`
          : `${config.cluster.name}: ${(found.silent ?? []).length > 0 ? `none of its machines answers.${unheard(found)}` : "none of its machines exists"}`,
      done: (env, results, _, found) => {
        const isMachine = (one: StepResult) => one.changes.some(({ subject }) => subject.startsWith("machine "));
        const isSnapshot = (one: StepResult) => one.changes.some(({ verb }) => verb === "run");
        const changed = results.filter((one) => one.outcome === "changed");
        const gone = changed.filter(isMachine).length;
        const rest = changed
          .filter((one) => !isMachine(one) && !isSnapshot(one))
          .flatMap((one) => one.changes.map(({ subject }) => subject));
        const besides = rest.length === 0 ? "" : ` Also removed: ${rest.join(", ")}.`;
        const machines = `${gone} machine${gone === 1 ? "" : "s"}`;
        return {
          summary: `${env.config.cluster.name} is down: ${definitionOf(env.config).words.takenDown(machines)}${besides}${unheard(found)} ${kept(env, found)}`,
          next: [],
        };
      },
    },
    report,
  );
}

/** Names the machines that did not answer. */
function unheard({ silent = [] }: Inventory): string {
  if (silent.length === 0) return "";
  return ` No answer from ${silent.join(", ")}; left unchanged. If such a machine still has a config of this cluster, it joins the cluster again when it starts: then run down again.`;
}

/** Names everything that is kept, and how to remove it. */
function kept(env: Environment, found: Inventory): string {
  const folder = `${env.shown}/secrets.yaml (delete the folder if you will never want this cluster back)`;
  const [first, ...more] = definitionOf(env.config).words.kept?.(env, found) ?? [];
  if (first === undefined) return `Kept: ${folder}.`;
  if (more.length === 0) return `Kept: ${folder}, and ${first}.`;
  return `Kept: ${[folder, first, ...more.slice(0, -1), `and ${more.at(-1)}`].join("; ")}.`;
}

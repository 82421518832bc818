import type { Session } from "../engine/context.ts";
import { STAGES, type Stage } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import type { Redactor } from "../lib/secret.ts";
import { operate } from "./operate.ts";
import type { Prepared } from "./prepare.ts";
import type { Report } from "./report.ts";
import { up } from "./up.ts";
import { LAST_STAGE } from "./workflow.ts";

export interface UpWish {
  until: Stage;
  allowRemove: readonly string[];
  takeLockFrom?: string;
  confirm(plan: Prepared): Promise<boolean>;
}

/** `talosmith up` */
export function bringUp(
  session: Session & { redactor: Redactor },
  folder: string,
  wish: UpWish,
  report: Report,
): Promise<number> {
  const { until, allowRemove, confirm, takeLockFrom } = wish;
  return operate(
    session,
    folder,
    {
      command: "up",
      wish: { workflow: up, until },
      allowRemove,
      confirm,
      ...(takeLockFrom !== undefined && { takeLockFrom }),
      nothingToDo: (env) => `${env.config.cluster.name}: nothing to do. ${missingStages(until)}`.trim(),
      done: (env) => ({ summary: `${summary(env)} ${missingStages(until)}`.trim(), next: [`talosmith status ${env.shown}`] }),
    },
    report,
  );
}

function summary(env: Environment): string {
  const { cluster, nodes } = env.config;
  const count = (role: string) => nodes.filter((node) => node.role === role).length;
  const plural = (n: number, noun: string) => `${n} ${noun}${n === 1 ? "" : "s"}`;
  return `${cluster.name}: ${plural(count("controlplane"), "control plane")} and ${plural(count("worker"), "worker")}: machines are there and switched on.`;
}

/** What this version cannot do is said, not passed over. */
function missingStages(until: Stage): string {
  if (until !== LAST_STAGE) return "";
  const missing = STAGES.slice(STAGES.indexOf(LAST_STAGE) + 1);
  return missing.length === 0 ? "" : `The stages ${missing.join(", ")} are not available yet in this version.`;
}

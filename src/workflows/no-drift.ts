import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Session } from "../engine/context.ts";
import { type Change, type Check, check, type Finding } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import type { Access } from "./access.ts";
import { prepare, upgradeNotes, type Wish } from "./prepare.ts";
import { ALL_STAGES } from "./stages.ts";
import { up } from "./up.ts";

/** The check that a plan is empty. `up` has no such check: each of its steps has already observed again and found nothing left to do. */
export function noDrift(session: Session & { redactor: Redactor }, env: Environment, access: Access): Check {
  return check({
    id: "verify/drift",
    stage: "verify",
    title: "what `up` would change",
    run: async () => {
      const again = ownCommand("plan", env.shown);
      const wish: Wish = { workflow: up, stages: ALL_STAGES, keepsVersions: true, again, next: [] };
      const { env: actual, result, problems } = await prepare(session, env, access, wish);
      const upgrade = upgradeNotes(actual, "fail");
      const [problem] = problems;
      if (problem) {
        const { message, detail, hint = again } = problem;
        const why = detail === undefined ? message : `${message}\n${detail}`;
        return [...upgrade, { level: "warn", code: "DRIFT", message: `cannot be determined: ${why}`, hint }];
      }
      if (result.changes.length === 0 && upgrade.length > 0) return upgrade;
      if (result.changes.length === 0) return [{ level: "ok", code: "DRIFT", message: "nothing: the plan is empty" }];
      const findings = result.changes.map((change): Finding => ({ level: "fail", code: "DRIFT", message: words(change) }));
      return [...upgrade, ...findings.map((finding, n) => (n === findings.length - 1 ? { ...finding, hint: again } : finding))];
    },
  });
}

const VERBS: Record<Change["verb"], string> = {
  create: "to be created",
  update: "to be changed",
  restart: "to be restarted",
  replace: "to be replaced",
  delete: "to be removed",
  run: "to be run",
};

function words({ subject, verb, fields }: Change): string {
  const paths = fields.map(({ path }) => path).join(", ");
  return `${subject}: ${VERBS[verb]}${verb === "update" && paths !== "" ? ` (${paths})` : ""}`;
}

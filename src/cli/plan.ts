import type { Command } from "commander";
import type { Stage } from "../engine/step.ts";
import { type CommonFlags, command, ENVIRONMENT, untilOption } from "./flags.ts";

interface PlanFlags extends CommonFlags {
  until: Stage;
}

const EXAMPLES = `  talosmith plan environments/homelab
  talosmith plan environments/homelab --json | tail -1

Exit codes: 0 nothing to change, 2 changes, 1 error.`;

export function planCommand(): Command {
  return command("plan", "Show what `up` would change. Changes nothing.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .addOption(untilOption())
    .action(async (folder: string, flags: PlanFlags) => {
      const { inSession } = await import("./session.ts");
      const { planEnvironment } = await import("../workflows/plan.ts");
      await inSession(flags, (session) => planEnvironment(session, folder, flags.until));
    });
}

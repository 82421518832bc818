import type { Command } from "commander";
import { type CommonFlags, command, ENVIRONMENT, type StageFlags, stageOptions, stagesOf } from "./flags.ts";

type PlanFlags = CommonFlags & StageFlags;

const EXAMPLES = `  talosmith plan environments/homelab
  talosmith plan environments/homelab --json | tail -1

Exit codes: 0 nothing to change, 2 changes, 1 error.`;

export function planCommand(): Command {
  const plan = command("plan", "Show what `up` would change. Changes nothing.", EXAMPLES).argument(...ENVIRONMENT);
  return stageOptions(plan).action(async (folder: string, flags: PlanFlags) => {
    const { inSession } = await import("./session.ts");
    const { planEnvironment } = await import("../workflows/plan.ts");
    await inSession(flags, (session) => planEnvironment(session, folder, stagesOf(flags)));
  });
}

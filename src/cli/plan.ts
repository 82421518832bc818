import type { Command } from "commander";
import {
  type CommonFlags,
  command,
  ENVIRONMENT,
  removeAddon,
  type StageFlags,
  stageOptions,
  stagesOf,
  verbose,
} from "./flags.ts";

interface PlanFlags extends CommonFlags, StageFlags {
  removeAddon: string[];
}

const EXAMPLES = `  talosmith plan environments/homelab
  talosmith plan environments/homelab --verbose         every field of new machines, and where the config sets it
  talosmith plan environments/homelab --json | tail -1

Exit codes: 0 nothing to change, 2 changes, 1 error.`;

export function planCommand(): Command {
  const plan = command("plan", "Show what `up` would change. Changes nothing.", EXAMPLES).argument(...ENVIRONMENT);
  return removeAddon(verbose(stageOptions(plan))).action(async (folder: string, flags: PlanFlags) => {
    const { inSession } = await import("./session.ts");
    const { planEnvironment } = await import("../workflows/plan.ts");
    const { onFirstUse } = await import("./first-use.ts");
    await inSession(flags, (session) =>
      onFirstUse(session, folder, flags, () => planEnvironment(session, folder, stagesOf(flags), flags.removeAddon)),
    );
  });
}

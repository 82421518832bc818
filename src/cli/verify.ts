import type { Command } from "commander";
import { duration } from "./duration-flag.ts";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

const EXAMPLES = `  talosmith verify environments/homelab
  talosmith verify environments/homelab --wait       waits up to 5 minutes for every problem to go away
  talosmith verify environments/homelab --wait 15m
  talosmith verify environments/homelab --json

Problems are reported within seconds. Only what is on its way is waited for, up to 5 minutes: a node that boots, a pod whose image is being pulled.
Exit codes: 0 no problems, 1 problems.`;

const USUAL_WAIT_MS = 5 * 60_000;

interface VerifyFlags extends CommonFlags {
  /** True without a duration. */
  wait?: number | true;
}

export function verifyCommand(): Command {
  return command(
    "verify",
    "Check that the cluster matches the config. Creates pods to test its network, and removes them.",
    EXAMPLES,
  )
    .argument(...ENVIRONMENT)
    .option("--wait [duration]", "wait for problems to go away, at most this long, such as 10m (5m)", duration)
    .action(async (folder: string, { wait, ...flags }: VerifyFlags) => {
      const { inSession } = await import("./session.ts");
      const { verifyEnvironment } = await import("../workflows/verify.ts");
      await inSession(flags, (session) => verifyEnvironment(session, folder, wait === true ? USUAL_WAIT_MS : wait));
    });
}

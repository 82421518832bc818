import type { Command } from "commander";
import { type CommonFlags, command } from "./flags.ts";
import { speed } from "./lab.ts";

const EXAMPLES = `  talosmith demo                              one control plane and two workers, verified
  talosmith demo environments/try --speed 1   as slow as life
  talosmith demo --control-planes 3           with a virtual IP between them

Afterwards it is an environment like any other, until the lab is stopped: talosmith lab stop environments/demo`;

interface DemoFlags extends CommonFlags {
  speed: number | "instant";
  controlPlanes: number;
  workers: number;
}

export function demoCommand(): Command {
  return command("demo", "Bring a whole cluster up on the embedded lab. Needs nothing and touches nothing else.", EXAMPLES)
    .argument("[environment]", "the folder to make it in", "environments/demo")
    .option("--speed <factor>", "how many times faster than life, or 'instant'", speed, 20)
    .option("--control-planes <count>", "how many control planes", Number, 1)
    .option("--workers <count>", "how many workers", Number, 2)
    .action(async (folder: string, flags: DemoFlags) => {
      const { inSession } = await import("./session.ts");
      const { demonstrate } = await import("./demo-run.ts");
      await inSession(flags, (session) => demonstrate(session, folder, flags));
    });
}

import type { Command } from "commander";
import { type CommonFlags, command } from "./flags.ts";
import { speed } from "./lab.ts";

const EXAMPLES = `  talosmith demo                              one control plane and two workers, verified
  talosmith demo environments/try --speed 1   in real time
  talosmith demo --control-planes 3           with a virtual IP that they share

Afterwards it is an environment like any other, until the lab is stopped: talosmith lab stop environments/demo`;

interface DemoFlags extends CommonFlags {
  speed: number | "instant";
  controlPlanes: number;
  workers: number;
}

export function demoCommand(): Command {
  return command(
    "demo",
    "Create a whole cluster on the embedded lab. Needs no other machines and changes none.",
    EXAMPLES,
    "accepted",
  )
    .argument("[environment]", "the environment's folder to create", "environments/demo")
    .option("--speed <factor>", "how many times faster than real time, or 'instant'", speed, 20)
    .option("--control-planes <count>", "number of control planes", Number, 1)
    .option("--workers <count>", "number of workers", Number, 2)
    .action(async (folder: string, flags: DemoFlags, self: Command) => {
      const { inSession } = await import("./session.ts");
      const useWire = (file: string) => self.setOptionValue("wire", file);
      const { demonstrate } = await import("./demo-run.ts");
      await inSession(flags, (session) => demonstrate(session, folder, flags, useWire));
    });
}

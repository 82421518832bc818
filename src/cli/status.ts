import { type Command, Option } from "commander";
import { duration } from "./duration-flag.ts";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

const EXAMPLES = `  talosmith status environments/homelab
  talosmith status environments/homelab --watch     until Ctrl-C
  talosmith status environments/homelab --json

A narrow terminal leaves out columns that matter less. With --watch the table is redrawn in place; in a pipe each table follows the last one,
and with --json each look is one line. Ctrl-C ends it with exit code 0.`;

const EVERY_MS = 5_000;

interface StatusFlags extends CommonFlags {
  watch?: boolean;
  interval?: number;
}

export function statusCommand(): Command {
  return command("status", "Show the machines of this environment and their current state.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .option("-w, --watch", "look again and again until Ctrl-C")
    .addOption(
      new Option("--interval <duration>", "watch with this time between two looks, such as 30s (5s)")
        .argParser(duration)
        .implies({ watch: true }),
    )
    .action(async (folder: string, { watch, interval = EVERY_MS, ...flags }: StatusFlags) => {
      const { inSession } = await import("./session.ts");
      const { showStatus } = await import("../workflows/status.ts");
      const { watched } = await import("../workflows/watch.ts");
      if (!watch) return inSession(flags, (session) => showStatus(session, folder));
      await inSession({ ...flags, watchMs: interval }, (session) =>
        watched(session, interval, () => showStatus(session, folder)),
      );
    });
}

import type { Command } from "commander";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

const EXAMPLES = `  talosmith outputs environments/homelab
  talosmith outputs environments/homelab --json | jq '.result.facts[] | {(.key): .value}'

The same values are in the file outputs.json of the environment.`;

export function outputsCommand(): Command {
  return command("outputs", "Print the output contract: addresses, roles, ids, paths.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .action(async (folder: string, flags: CommonFlags) => {
      const { inSession } = await import("./session.ts");
      const { showOutputs } = await import("../workflows/outputs.ts");
      await inSession(flags, (session) => showOutputs(session, folder));
    });
}

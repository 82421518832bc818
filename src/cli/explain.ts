import type { Command } from "commander";
import { type CommonFlags, command } from "./flags.ts";

const EXAMPLES = `  talosmith explain                    the keys at the top of config.yaml
  talosmith explain cluster            a section and its keys
  talosmith explain nodes.memory       the same as 'nodes[].memory'
  talosmith explain memory             enough when only one key has this name
  talosmith explain memory --json | jq '.result.facts[] | {(.key): .value}'`;

export function explainCommand(): Command {
  return command("explain", "Explain a key of config.yaml: meaning, default, example, platforms.", EXAMPLES, "accepted")
    .argument("[key]", "the key, such as cluster.talos or nodes.memory")
    .action(async (key: string | undefined, flags: CommonFlags) => {
      const { inSession } = await import("./session.ts");
      const { explainKey } = await import("../workflows/explain.ts");
      await inSession(flags, (session) => explainKey(session, key));
    });
}

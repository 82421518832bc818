import type { Command } from "commander";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

interface ImportFlags extends CommonFlags {
  out: string;
  force?: boolean;
}

const EXAMPLES = `  talosmith import environments/homelab        a flat config.yml, or cluster.yaml and nodes.yaml
  talosmith import environments/homelab --out config.new.yaml

Both formats work as they are: import only if you prefer a single config.yaml.
References such as \${env:NAME} stay references. The old files are kept.`;

export function importCommand(): Command {
  return command("import", "Convert a config in another format to one config.yaml. Contacts no server.", EXAMPLES, "accepted")
    .argument(...ENVIRONMENT)
    .option("--out <file>", "the file to write, in the environment's folder", "config.yaml")
    .option("--force", "replace the file if it exists")
    .action(async (folder: string, flags: ImportFlags) => {
      const { inSession } = await import("./session.ts");
      const { importConfig } = await import("../workflows/import.ts");
      await inSession(flags, (session) => importConfig(session, folder, { out: flags.out, force: flags.force ?? false }));
    });
}

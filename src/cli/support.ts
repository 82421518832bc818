import type { Command } from "commander";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";
import { VERSION } from "./version.ts";

interface SupportFlags extends CommonFlags {
  to?: string;
}

const EXAMPLES = `  talosmith support environments/homelab                        writes support-homelab-….tar.gz in the current folder
  talosmith support environments/homelab --to /tmp/help.tar.gz
  tar -xzOf support-homelab-….tar.gz | less                     look through it before you send it

Works with an invalid config, too. Machines that do not answer are listed. Changes nothing.`;

export function supportCommand(): Command {
  return command("support", "Collect diagnostic information in one file, without secrets.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .option("--to <file>", "the file to write (default: a new file in the current folder)")
    .action(async (folder: string, { to, ...flags }: SupportFlags) => {
      const { inSession } = await import("./session.ts");
      const { collectSupport } = await import("../workflows/support/bundle.ts");
      const { platformWords } = await import("@talosmith/lib/world/platform.ts");
      const versions = { talosmith: VERSION, ...platformWords() };
      await inSession(flags, (session) => collectSupport(session, folder, { versions, ...(to !== undefined && { to }) }));
    });
}

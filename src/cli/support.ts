import type { Command } from "commander";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";
import { VERSION } from "./version.ts";

interface SupportFlags extends CommonFlags {
  to?: string;
}

const EXAMPLES = `  talosmith support environments/homelab                        support-homelab-….tar.gz, here
  talosmith support environments/homelab --to /tmp/help.tar.gz
  tar -xzOf support-homelab-….tar.gz | less                     look through it before you send it

Works with a config that has mistakes, too. Who does not answer is named; nothing is changed anywhere.`;

export function supportCommand(): Command {
  return command("support", "Collect what somebody needs to help you into one file, without secrets.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .option("--to <file>", "the file to write (default: a new one here)")
    .action(async (folder: string, { to, ...flags }: SupportFlags) => {
      const { inSession } = await import("./session.ts");
      const { collectSupport } = await import("../workflows/support/bundle.ts");
      const { platformWords } = await import("@talosmith/lib/world/platform.ts");
      const versions = { talosmith: VERSION, ...platformWords() };
      await inSession(flags, (session) => collectSupport(session, folder, { versions, ...(to !== undefined && { to }) }));
    });
}

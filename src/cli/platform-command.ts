import type { Command } from "commander";
import { PLATFORMS } from "../platforms/all.ts";
import type { PlatformCommand } from "../platforms/definition.ts";
import { type CommonFlags, command, ENVIRONMENT, plainCommand } from "./flags.ts";
import { addPlatformFlags } from "./platform-flags.ts";

interface PlatformCommandFlags extends CommonFlags {
  yes?: boolean;
  plan?: boolean;
}

/** Makes the commands that only one platform has, grouped by their first words. */
export function platformCommands(): Command[] {
  const groups = new Map<string, Command>();
  for (const own of PLATFORMS.flatMap(({ commands = [] }) => commands)) {
    const [word = ""] = own.name.split(" ");
    const group = groups.get(word) ?? groupOf(word, own);
    groups.set(word, group.addCommand(commandOf(own)));
  }
  return [...groups.values()];
}

function groupOf(word: string, { name, group }: PlatformCommand): Command {
  return plainCommand(word, group, `  talosmith ${name} environments/homelab`);
}

function commandOf(own: PlatformCommand): Command {
  const made = command(own.name.split(" ").slice(1).join(" "), own.about, own.examples)
    .argument(...ENVIRONMENT)
    .option("-y, --yes", own.yes)
    .option("--plan", "show what would be done; exit code 2 if there is something to do");
  return addPlatformFlags(made, [{ name: "", flags: own.flags }]).action(async (folder: string, flags: PlatformCommandFlags) => {
    const { inSession } = await import("./session.ts");
    const { planPlatformCommand, runPlatformCommand } = await import("../workflows/platform-command.ts");
    const { reportView } = await import("../views/report-view.ts");
    const { agreeToAll } = await import("./agree.ts");
    await inSession(flags, async (session) => {
      const given = { ...flags };
      if (flags.plan) return planPlatformCommand(session, folder, own, given);
      const confirm = () => agreeToAll(own.question, flags, session.signal);
      return runPlatformCommand(session, folder, own, { flags: given, confirm }, reportView());
    });
  });
}

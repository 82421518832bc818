import type { Command } from "commander";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

interface ImagesFlags extends CommonFlags {
  prune?: boolean;
  all?: boolean;
  yes?: boolean;
}

const EXAMPLES = `  talosmith images environments/homelab                  what is there, and who uses it
  talosmith images environments/homelab --prune          shows what would go, then asks
  talosmith images environments/homelab --prune --all    after down: also what this config would use again

Images, ISOs and templates are shared: other environments may make machines from them, and would fetch them again.
What a machine depends on stays, and so does everything that is not named or marked as ours.`;

export function imagesCommand(): Command {
  return command("images", "Show what machines are made from, and remove what is not needed any more.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .option("--prune", "remove what this config does not use and no machine depends on")
    .option("--all", "with --prune: also what this config would use for new machines")
    .option("-y, --yes", "do not ask")
    .action(async (folder: string, flags: ImagesFlags) => {
      const { inSession } = await import("./session.ts");
      const { pruneImages, showImages } = await import("../workflows/images.ts");
      const { reportView } = await import("../views/report-view.ts");
      const { agree } = await import("./agree.ts");
      const { prune, all = false } = flags;
      await inSession(flags, (session) =>
        prune
          ? pruneImages(
              session,
              folder,
              {
                all,
                confirm: (plan) => agree(plan.result, flags, session.signal, REMOVES),
              },
              reportView(),
            )
          : showImages(session, folder),
      );
    });
}

const REMOVES = "This removes images from the hosts";

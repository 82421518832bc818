import type { Command } from "commander";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

interface ImagesFlags extends CommonFlags {
  prune?: boolean;
  all?: boolean;
  yes?: boolean;
}

const EXAMPLES = `  talosmith images environments/homelab                  lists the images and what uses them
  talosmith images environments/homelab --prune          shows what would be removed, then asks
  talosmith images environments/homelab --prune --all    after down: also what this config would use again

Images, ISOs and templates are shared: other environments may use them, and would have to download them again.
Images that a machine depends on are kept, and so is everything that talosmith did not name or mark.`;

export function imagesCommand(): Command {
  return command("images", "Show the images that machines are made from, and remove unused ones.", EXAMPLES)
    .argument(...ENVIRONMENT)
    .option("--prune", "remove images that this config does not use and no machine depends on")
    .option("--all", "with --prune: also images that this config would use for new machines")
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

import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { CommandWork } from "../../definition.ts";
import type { ProxmoxEnvironment } from "../proxmox-environment.ts";
import { preparation } from "./preparation.ts";
import { openRoot } from "./root.ts";
import { rootOnceBack } from "./root-once-back.ts";
import { survey } from "./survey.ts";
import { type HostFlags, readWish } from "./wish.ts";

/** The hosts of an environment, made ready for it by root's way instead of the API's. */
export function preparedHosts(flags: HostFlags): CommandWork {
  const wish = readWish(flags);
  return {
    // A login is opened, and what must be known is found out, before anything is planned.
    open: async (session, env: ProxmoxEnvironment) => {
      const login = () => openRoot(session.world, env.config.proxmox.ssh, session.signal);
      const root = await rootOnceBack(session, wish.reboot, login);
      try {
        const preparing = { env, root, wish, survey: await survey(root, env), redactor: session.redactor };
        return { items: () => preparation(preparing), calls: () => root.calls(), close: () => root.close() };
      } catch (error) {
        root.close();
        throw error;
      }
    },
    nothingToDo: (env) => `the hosts of ${env.config.cluster.name} are prepared: nothing to do`,
    done: (env, changing) => ({
      summary: `the hosts of ${env.config.cluster.name} are prepared${changing ? "" : "; nothing had to be changed"}`,
      next: [ownCommand("doctor", env.shown), ownCommand("up", env.shown)],
    }),
  };
}

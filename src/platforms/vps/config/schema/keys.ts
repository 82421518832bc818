import type { PlatformKeys } from "../../../../config/platform.ts";
import { vps } from "./section.ts";
import { serverKeys, serverSettings } from "./server.ts";

/** Keys that only rented servers have. */
export const keys: PlatformKeys = {
  sections: { vps: vps.optional() },
  settings: serverSettings,
  node: serverKeys,
  notes: {
    "nodes[].installDisk":
      "On vps it is the disk that is overwritten, by default the only one there is; one that holds data must be named by serial or wwid.",
  },
  instead: { ssh: "remove it: these machines are not logged in to" },
};

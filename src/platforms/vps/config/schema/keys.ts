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
      "On vps it is the disk to overwrite, by default the only one; a disk with data must be selected by serial or wwid.",
  },
  instead: { ssh: "remove it: talosmith does not log in to these machines" },
};

import type { Check } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import { refusalOf } from "../client/refusal.ts";
import type { Site } from "../site.ts";
import { addressesAreFree } from "./addresses.ts";
import { certificateLasts } from "./certificate.ts";
import { clocksAgree } from "./clock.ts";
import { devicesAreThere } from "./devices.ts";
import { hostsHaveRoom } from "./memory.ts";
import { nodeNetworkAnswers } from "./node-network.ts";
import { poolsAreThere } from "./pools.ts";
import { hostsHaveQuorum } from "./quorum.ts";
import { usbDevicesAreMapped } from "./usb-devices.ts";
import { idsAreFree } from "./vm-ids.ts";

/** The checks that only `doctor` runs: they make more calls than a plan should, and not only to Proxmox. */
export function examination(site: Site, found: Inventory): Check[] {
  return [
    hostsHaveQuorum(site),
    hostsHaveRoom(site, found),
    clocksAgree(site),
    certificateLasts(site),
    ...poolsAreThere(site),
    ...idsAreFree(site, found),
    ...devicesAreThere(site, found),
    ...usbDevicesAreMapped(site),
    ...addressesAreFree(site, found),
    nodeNetworkAnswers(site, found),
  ].map(warnIfForbidden);
}

/** Turns a check that lacks a right into one warning: the check of rights names what is missing. */
function warnIfForbidden(check: Check): Check {
  return {
    ...check,
    run: async (c) => {
      try {
        return await check.run(c);
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal?.status !== 403) throw error;
        return [{ level: "warn", code: "NOT_SEEN", message: `not checked: ${refusal.reason}` }];
      }
    },
  };
}

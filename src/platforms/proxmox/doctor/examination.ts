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

/** What only `doctor` looks at: it asks more than a plan may, and others than Proxmox. */
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
  ].map(asFarAsWeMay);
}

/** Rights that only help to look are not asked for twice: their own check names them. */
function asFarAsWeMay(check: Check): Check {
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

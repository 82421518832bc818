import type { Check } from "../../../engine/step.ts";
import { factoryHasImages } from "../../factory-has-images.ts";
import type { Inventory } from "../../platform.ts";
import { refusalOf } from "../client/refusal.ts";
import type { Site } from "../site.ts";
import { namesakes } from "../steps/namesakes.ts";
import { addressesAreFree } from "./addresses.ts";
import { bridgesAreThere } from "./bridges.ts";
import { certificateLasts } from "./certificate.ts";
import { clocksAgree } from "./clock.ts";
import { devicesAreThere } from "./devices.ts";
import { hostsAreThere } from "./hosts.ts";
import { downloadsImage } from "./kinds.ts";
import { hostsHaveRoom } from "./memory.ts";
import { nodeNetworkAnswers } from "./node-network.ts";
import { poolsAreThere } from "./pools.ts";
import { hostsHaveProcessors } from "./processors.ts";
import { hostsHaveQuorum } from "./quorum.ts";
import { rightsAreThere } from "./rights.ts";
import { nothingForRootAlone } from "./root-only.ts";
import { storagesAreReady } from "./storages.ts";
import { usbDevicesAreMapped } from "./usb-devices.ts";
import { proxmoxAnswers } from "./version.ts";
import { idsAreFree } from "./vm-ids.ts";

/** All checks. Every plan runs the first ones; the others belong to kinds of changes, and a plan runs those of its changes. `doctor` runs all. */
export function checks(site: Site, found: Inventory): Check[] {
  return [
    proxmoxAnswers(site),
    rightsAreThere(site, found),
    ...nothingForRootAlone(site, found),
    hostsAreThere(site, found),
    hostsHaveProcessors(site, found),
    ...(found.environment === undefined ? [namesakes(site)] : []),
    ...ofChanges(site, found).map(warnIfForbidden),
  ];
}

function ofChanges(site: Site, found: Inventory): Check[] {
  const { env, meter } = site;
  const newNodes = env.config.nodes.filter(({ name }) => !found.there.has(name));
  return [
    ...factoryHasImages(env, meter, { nodes: newNodes, before: downloadsImage, silence: "fail" }),
    storagesAreReady(site, found),
    bridgesAreThere(site, found),
    hostsHaveQuorum(site),
    hostsHaveRoom(site, found),
    clocksAgree(site, found),
    certificateLasts(site),
    ...poolsAreThere(site),
    ...idsAreFree(site, found),
    ...devicesAreThere(site, found),
    ...usbDevicesAreMapped(site, found),
    ...addressesAreFree(site, found),
    nodeNetworkAnswers(site, found),
  ];
}

/** Turns a check that lacks a right into one warning: the check of rights names what is missing. */
function warnIfForbidden(check: Check): Check {
  return {
    ...check,
    run: async (c, changes) => {
      try {
        return await check.run(c, changes);
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal?.status !== 403) throw error;
        return [{ level: "warn", code: "NOT_SEEN", message: `not checked: ${refusal.reason}` }];
      }
    },
  };
}

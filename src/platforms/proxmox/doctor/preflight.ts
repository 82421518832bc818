import type { Check } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import type { Site } from "../site.ts";
import { bridgesAreThere } from "./bridges.ts";
import { hostsAreThere } from "./hosts.ts";
import { hostsHaveProcessors } from "./processors.ts";
import { rightsAreThere } from "./rights.ts";
import { nothingForRootAlone } from "./root-only.ts";
import { storagesAreReady } from "./storages.ts";
import { proxmoxAnswers } from "./version.ts";

/** The checks before every plan and run: one call for the permissions and one for each path that its response leaves out, and two calls for each host. */
export function preflight(site: Site, found: Inventory): Check[] {
  return [
    proxmoxAnswers(site),
    rightsAreThere(site, found),
    ...nothingForRootAlone(site),
    hostsAreThere(site, found),
    hostsHaveProcessors(site, found),
    storagesAreReady(site, found),
    bridgesAreThere(site),
  ];
}

import { addons } from "./addons.ts";
import { addresses } from "./addresses.ts";
import { controlPlanes } from "./control-planes.ts";
import { endpoint } from "./endpoint.ts";
import type { Check, Facts } from "./facts.ts";
import { image } from "./image.ts";
import { installDisk } from "./install-disk.ts";
import { machines } from "./machines.ts";
import { macs } from "./macs.ts";
import { metal } from "./metal.ts";
import { names } from "./names.ts";
import { placement } from "./placement.ts";
import { proxmoxAccess } from "./proxmox-access.ts";
import { reach } from "./reach.ts";
import { versions } from "./versions.ts";

const everywhere: readonly Check[] = [versions, addresses, endpoint, names, controlPlanes, macs, reach, image, addons];
const onProxmox: readonly Check[] = [machines, placement, installDisk, proxmoxAccess];
const onMetal: readonly Check[] = [metal];

export function checksFor({ draft }: Facts): readonly Check[] {
  return [...everywhere, ...(draft.platform === "metal" ? onMetal : onProxmox)];
}

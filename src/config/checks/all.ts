import { addresses } from "./addresses.ts";
import { controlPlanes } from "./control-planes.ts";
import { endpoint } from "./endpoint.ts";
import type { Check } from "./facts.ts";
import { machines } from "./machines.ts";
import { names } from "./names.ts";
import { placement } from "./placement.ts";
import { proxmoxAccess } from "./proxmox-access.ts";
import { versions } from "./versions.ts";

export const allChecks: readonly Check[] = [
  versions,
  addresses,
  endpoint,
  names,
  controlPlanes,
  machines,
  placement,
  proxmoxAccess,
];

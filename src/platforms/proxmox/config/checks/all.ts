import type { Facts } from "../../../../config/checks/facts.ts";
import type { Report } from "../../../../config/report.ts";
import { onProxmox } from "../draft.ts";
import { access } from "./access.ts";
import { addons } from "./addons.ts";
import { devices } from "./devices.ts";
import { dataDisks } from "./disks.ts";
import { image } from "./image.ts";
import { machines } from "./machines.ts";
import { placement } from "./placement.ts";
import { virtualMachines } from "./virtual-machines.ts";

const CHECKS = [access, image, machines, virtualMachines, dataDisks, devices, placement, addons];

export function check(facts: Facts, report: Report): void {
  const own = onProxmox(facts);
  for (const one of CHECKS) one(own, report);
}

import { DEVICE_FIELDS } from "./fields/devices.ts";
import { DISK_FIELDS } from "./fields/disks.ts";
import type { MachineField } from "./fields/field.ts";
import { HARDWARE_FIELDS } from "./fields/hardware.ts";
import { MEMORY_FIELDS } from "./fields/memory.ts";
import { NETWORK_FIELDS } from "./fields/network.ts";
import { NAME_FIELD, OPTION_FIELDS } from "./fields/options.ts";
import { PROCESSOR_FIELDS } from "./fields/processor.ts";

/** All managed options of a VM, in the order in which plans show them. Other options are kept as they are. */
export const MACHINE_FIELDS: readonly MachineField[] = [
  NAME_FIELD,
  ...PROCESSOR_FIELDS,
  ...MEMORY_FIELDS,
  ...HARDWARE_FIELDS,
  ...NETWORK_FIELDS,
  ...DISK_FIELDS,
  ...DEVICE_FIELDS,
  ...OPTION_FIELDS,
];

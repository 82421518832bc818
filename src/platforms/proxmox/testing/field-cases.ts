import { DISK_CASES } from "./disk-cases.ts";
import type { FieldCase } from "./field-case.ts";
import { HARDWARE_CASES } from "./hardware-cases.ts";
import { NETWORK_CASES } from "./network-cases.ts";
import { VM_CASES } from "./vm-cases.ts";

/** By the field's name in the reference table. */
export const FIELD_CASES: Readonly<Record<string, FieldCase>> = {
  ...HARDWARE_CASES,
  ...NETWORK_CASES,
  ...DISK_CASES,
  ...VM_CASES,
};

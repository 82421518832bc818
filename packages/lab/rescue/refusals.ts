import type { KnownRefusal } from "../kernel/kernel.ts";
import { refusals as ofHosts } from "../ssh/refusals.ts";

/** As on any Linux, and what happens while a disk is overwritten. */
export const refusals = {
  ...ofHosts,
  "disk-busy": { status: 1, message: "Device or resource busy", when: "a RAID or LVM of the old system holds the disk" },
  "disk-full": {
    status: 1,
    message: "dd: error writing '/dev/sda': No space left on device",
    when: "the disk is smaller than the image",
  },
  "disk-error": { status: 1, message: "dd: error writing '/dev/sda': Input/output error", when: "the disk is broken" },
} as const satisfies Record<string, KnownRefusal>;

import type { TakesEffect } from "../fields/field.ts";
import { MACHINE_FIELDS } from "../machine-fields.ts";

/** One line of the reference page. */
export interface Managed {
  name: string;
  config: string;
  readsBack: string;
  class: string;
}

const CLASSES: Record<TakesEffect, string> = {
  live: "at once",
  restart: "after a restart",
  network: "at once; after a restart when hotplug of network cards is off",
  disk: "at once; after a restart when hotplug of disks is off",
  usb: "at once; after a restart when hotplug of USB devices is off",
};

/** Managed properties that are not options: sizes, which only grow, and the place and state of a machine. */
const MORE: readonly Managed[] = [
  {
    name: "disk size",
    config: "nodes[].disk",
    readsBack: "scsi0: `size=40G` in the largest unit without a rest, so 1024G is `1T`",
    class: "at once; grows only, a larger disk is kept and said so",
  },
  {
    name: "data disk size",
    config: "nodes[].disks[].size",
    readsBack: "scsi1 …: as the system disk's",
    class: "at once; grows only, a larger disk is kept and said so",
  },
  {
    name: "pool",
    config: "nodes[].pool; without it any pool is kept",
    readsBack: "not in the VM's options: `pool` of the cluster's list",
    class: "at once",
  },
  { name: "power", config: "always on", readsBack: "`status` of the host's list", class: "at once" },
  {
    name: "host",
    config: "nodes[].host",
    readsBack: "the host whose list has it",
    class: "kept: a machine that was migrated is followed, and said so",
  },
  { name: "vmid", config: "nodes[].vmid", readsBack: "its id", class: "kept: an id cannot be changed, and it is said so" },
];

/** All managed properties of a machine, in the order of the reference page. */
export const MANAGED: readonly Managed[] = [
  ...MACHINE_FIELDS.map(({ name, config, readsBack, takesEffect }) => ({ name, config, readsBack, class: CLASSES[takesEffect] })),
  ...MORE,
];

/** The test that covers a field. */
export function testOf(name: string): string {
  return `fields.integration.test.ts: ${name}`;
}

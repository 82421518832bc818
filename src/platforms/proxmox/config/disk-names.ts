import { createHash } from "node:crypto";

/** The number of characters of a disk's serial number that QEMU passes to a machine. */
const LONGEST_SERIAL = 20;

/** A name of the kind that hardware has: registered, of the number that QEMU uses for its own. */
const WWN_PREFIX = "0x5525400";

/** `index` counts from 0, among the node's data disks. */
export function diskName({ name, volume }: { name?: string | undefined; volume?: string | undefined }, index: number): string {
  return name ?? volume ?? `disk-${index + 1}`;
}

/** A longer name keeps its beginning, for people, and gets something of all of it, so that it stays its own. */
export function serialOf(name: string): string {
  if (name.length <= LONGEST_SERIAL) return name;
  const rest = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${name.slice(0, LONGEST_SERIAL - rest.length - 1)}-${rest}`;
}

/** Derived, so that it is the same whenever the disk is attached again. */
export function wwnOf(serial: string): string {
  return `${WWN_PREFIX}${createHash("sha256").update(`wwn\n${serial}`).digest("hex").slice(0, 9)}`;
}

import type { Lab } from "../kernel/kernel.ts";

/** Shuffles a list, because lists made from Perl hashes have another order each time (docs/facts/proxmox.md#answers). */
export function shuffled<T>(lab: Lab, what: string, items: readonly T[]): T[] {
  return items
    .map((item, index) => ({ item, place: lab.chance("proxmox order", what, lab.now(), index) }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

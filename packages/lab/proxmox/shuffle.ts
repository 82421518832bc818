import type { Lab } from "../kernel/kernel.ts";

/** What comes out of a Perl hash comes in any order, another one each time (proxmox.md 1.4). */
export function shuffled<T>(lab: Lab, what: string, items: readonly T[]): T[] {
  return items
    .map((item, index) => ({ item, place: lab.chance("proxmox order", what, lab.now(), index) }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

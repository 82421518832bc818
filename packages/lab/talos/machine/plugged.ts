import type { Disk, Hardware, Link } from "../state.ts";

/**
 * The hardware as a running kernel sees it after a change: existing devices keep their names, a new one gets the next free name. The system disk
 * keeps its size until the next boot, when its partitions grow.
 */
export function replugged(before: Hardware, now: Hardware, system: string | undefined): Hardware {
  return { ...before, disks: disks(before.disks, now.disks, system), links: links(before.links, now.links) };
}

function disks(before: readonly Disk[], now: readonly Disk[], system: string | undefined): Disk[] {
  const known = (disk: Disk) => before.find((old) => (disk.cdrom ? old.device === disk.device : old.name === disk.name));
  const taken = new Set(now.flatMap((disk) => known(disk)?.device ?? []));
  return now.map((disk) => {
    const old = known(disk);
    if (old) return { ...disk, device: old.device, size: disk.name === system ? old.size : disk.size };
    const device = free(disk.device, taken);
    taken.add(device);
    return { ...disk, device };
  });
}

/** "sdb", or the next free letter. */
function free(wanted: string, taken: ReadonlySet<string>): string {
  let device = wanted;
  while (taken.has(device)) device = device.slice(0, -1) + String.fromCharCode(device.charCodeAt(device.length - 1) + 1);
  return device;
}

function links(before: readonly Link[], now: readonly Link[]): Link[] {
  const known = (link: Link) => before.find((old) => old.mac === link.mac);
  const taken = new Set(now.flatMap((link) => known(link)?.name ?? []));
  return now.map((link) => {
    const old = known(link);
    if (old) return old;
    let number = 0;
    while (taken.has(`eth${number}`)) number++;
    taken.add(`eth${number}`);
    return { ...link, name: `eth${number}` };
  });
}

import { filesOf, linesOf, type Sections } from "./sections.ts";

/** A disk, a partition, or a device built on them, from /sys/block. */
export interface BlockDevice {
  /** "sda", "sda1", "dm-0", "md127", "cciss!c0d0" */
  readonly name: string;
  /** The disk of a partition. */
  readonly disk?: string;
  readonly path: string;
  readonly bytes: number;
  /** "8:1" */
  readonly number?: string;
  /** The content of a file of its folder; absent when there is none, or it is empty. */
  file(name: string): string | undefined;
  /** The devices built on it: "md0", "dm-1". */
  readonly holders: readonly string[];
}

export interface BlockDevices {
  readonly all: readonly BlockDevice[];
  get(name: string): BlockDevice | undefined;
  /** Finds the device of a mount, by path or kernel number. */
  find(pathOrNumber: string): BlockDevice | undefined;
  /** The disks below it, including itself. */
  disksOf(device: BlockDevice): readonly string[];
  /** Everything built on it: itself, its partitions, and arrays and volumes on them. */
  above(device: BlockDevice): readonly BlockDevice[];
}

export function blockDevices(sections: Sections): BlockDevices {
  const folders = foldersOf(sections);
  const holders = holdersOf(linesOf(sections, "users"));
  const all = [...folders].flatMap(([folder, files]) => deviceOf(folder, files, holders));
  const links = linesOf(sections, "links").map((line) => line.split(" "));
  const get = (name: string) => all.find((device) => device.name === name);
  const find = (text: string) => {
    const path = links.find(([link]) => link === text)?.[1] ?? text;
    return all.find((device) => device.path === path || device.number === text || mapped(device) === path);
  };
  const parents = (device: BlockDevice) =>
    all.filter((other) => other.name === device.disk || other.holders.includes(device.name));
  const children = (device: BlockDevice) =>
    all.filter((other) => other.disk === device.name || device.holders.includes(other.name));
  const disksOf = (device: BlockDevice) =>
    reached(device, parents).flatMap((one) => (parents(one).length === 0 ? [one.name] : []));
  const above = (device: BlockDevice) => reached(device, children);
  return { all, get, find, disksOf, above };
}

/** "/dev/mapper/vg0-root" */
export function mapped(device: BlockDevice): string | undefined {
  const name = device.file("dm/name");
  return name === undefined ? undefined : `/dev/mapper/${name}`;
}

/** All devices reachable by `next`, each once: a server's output may contain cycles. */
function reached(start: BlockDevice, next: (device: BlockDevice) => readonly BlockDevice[]): readonly BlockDevice[] {
  const found = new Set([start]);
  for (const device of found) for (const one of next(device)) found.add(one);
  return [...found];
}

/** The files of each device's folder: "sda" → size → "83886080"; a partition's is "sda/sda1". */
function foldersOf(sections: Sections): Map<string, Map<string, string>> {
  const folders = new Map<string, Map<string, string>>();
  const set = (folder: string, file: string, text: string) => {
    const files = folders.get(folder) ?? new Map<string, string>();
    folders.set(folder, files.set(file, text));
  };
  const said = [...filesOf(linesOf(sections, "sysfs")), ...filesOf(linesOf(sections, "serials"))];
  // "partition" is only there in a partition's folder; other folders below a disk's, such as "queue", have sizes of nothing.
  const partitions = new Set(said.flatMap(([path]) => /^\/sys\/block\/([^/]+\/[^/]+)\/partition$/.exec(path)?.[1] ?? []));
  for (const [path, text] of said) {
    const [, disk = "", rest = ""] = /^\/sys\/block\/([^/]+)\/(.+)$/.exec(path) ?? [];
    const [child = "", file = ""] = rest.split("/");
    if (disk === "" || text === "") continue;
    if (partitions.has(`${disk}/${child}`)) set(`${disk}/${child}`, file, text);
    else set(disk, rest, text);
  }
  return folders;
}

/** From the folders of holders and, for systems that have only these, of slaves. */
function holdersOf(users: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const holders = new Map<string, string[]>();
  const add = (device: string, holder: string) => {
    const known = holders.get(device) ?? [];
    if (!known.includes(holder)) holders.set(device, [...known, holder]);
  };
  for (const line of users) {
    const held = /^\/sys\/block\/(?:[^/]+\/)?([^/]+)\/holders\/([^/]+)$/.exec(line);
    const slave = /^\/sys\/block\/([^/]+)\/slaves\/([^/]+)$/.exec(line);
    if (held?.[1] !== undefined && held[2] !== undefined) add(held[1], held[2]);
    if (slave?.[1] !== undefined && slave[2] !== undefined) add(slave[2], slave[1]);
  }
  return holders;
}

function deviceOf(
  folder: string,
  files: ReadonlyMap<string, string>,
  holders: ReadonlyMap<string, readonly string[]>,
): BlockDevice[] {
  const [disk = "", partition] = folder.split("/");
  const name = partition ?? disk;
  const sectors = Number(files.get("size") ?? "x");
  // The kernel counts in 512 bytes here, whatever a disk's own sectors are.
  if (!Number.isSafeInteger(sectors * 512) || sectors < 0 || !/^[\w!.-]+$/.test(name)) return [];
  const number = files.get("dev");
  return [
    {
      name,
      ...(partition !== undefined && { disk }),
      path: `/dev/${name.replaceAll("!", "/")}`,
      bytes: sectors * 512,
      ...(number !== undefined && { number }),
      file: (file) => files.get(file) || undefined,
      holders: holders.get(name) ?? [],
    },
  ];
}

import type { DiskSelector, NodeConfig } from "../config/config.ts";
import type { DiskShape } from "./lab.ts";

const GiB = 1024 ** 3;
/** A system disk without other requirements. */
const USUAL_GIB = 100;
const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  t: 1e12,
  ki: 1024,
  mi: 1024 ** 2,
  gi: GiB,
  ti: 1024 ** 4,
};

type Wish = string | DiskSelector | undefined;

/** The disks of a machine that exists already: one for each that its node names or describes, the system disk first. */
export function disksFor({ installDisk, volumes, ephemeral }: NodeConfig): DiskShape[] {
  const more = [...volumes.map(({ disk }) => disk), ephemeral?.disk].filter((disk): disk is Exclude<Wish, undefined> => {
    return disk !== undefined && !(typeof disk === "object" && "attached" in disk);
  });
  const wishes = new Map([installDisk ?? "/dev/sda", ...more].map((wish) => [JSON.stringify(wish), wish]));
  const taken = new Set([...wishes.values()].flatMap((wish) => named(wish) ?? []));
  const asked = volumes.reduce((sum, { minSize = 0 }) => sum + minSize, ephemeral?.minSize ?? 0);
  const disks = [...wishes.values()].map((wish): DiskShape => {
    const selector = typeof wish === "object" ? wish : {};
    const device = named(wish) ?? freeName(selector, taken);
    taken.add(device);
    return { device, gib: sizeOf(selector, USUAL_GIB + Math.ceil((2 * asked) / GiB)), ...factsOf(selector) };
  });
  return [...disks, ...gaps(disks)];
}

/** "sdb" of /dev/sdb; undefined for a path that says something else about the disk. */
function named(wish: Wish): string | undefined {
  return typeof wish === "string" ? /^\/dev\/([a-z]+[0-9a-z]*)$/.exec(wish)?.[1] : undefined;
}

function freeName({ type }: DiskSelector, taken: ReadonlySet<string>): string {
  const name = (at: number) => (type === "nvme" ? `nvme${at}n1` : `sd${String.fromCharCode(97 + at)}`);
  for (let at = 0; ; at++) if (!taken.has(name(at))) return name(at);
}

/** A machine with sdc has sda and sdb, too. */
function gaps(disks: readonly DiskShape[]): DiskShape[] {
  const letters = disks.flatMap(({ device }) => /^sd([a-z])$/.exec(device)?.[1] ?? []);
  const last = Math.max(...letters.map((letter) => letter.charCodeAt(0)), 0);
  const names = Array.from({ length: Math.max(0, last - 96) }, (_, at) => `sd${String.fromCharCode(97 + at)}`);
  return names.filter((name) => disks.every(({ device }) => device !== name)).map((device) => ({ device, gib: USUAL_GIB }));
}

/** A size that fits ">= 100GB", "== 1TB" or "< 500GB". */
function sizeOf({ size = "" }: DiskSelector, usual: number): number {
  const [, comparison = "", number = "", unit = ""] = /^\s*([<>=!]*)\s*([\d.]+)\s*([kmgt]?i?)b?\s*$/i.exec(size) ?? [];
  const wanted = (Number(number) * (UNITS[unit.toLowerCase()] ?? 1)) / GiB;
  if (number === "") return usual;
  if (comparison.startsWith(">")) return Math.max(usual, Math.ceil(wanted * 1.2));
  if (comparison.startsWith("<")) return Math.max(10, Math.floor(wanted * 0.8));
  return wanted;
}

/** Values that fit the patterns: `*` stands for any text. */
function factsOf({ serial, model, wwid, busPath, type }: DiskSelector): Partial<DiskShape> {
  const fitting = (pattern: string) => pattern.replaceAll("*", "0");
  return {
    ...(serial !== undefined && { serial: fitting(serial) }),
    ...(model !== undefined && { model: fitting(model) }),
    ...(wwid !== undefined && { wwid: fitting(wwid) }),
    ...(busPath !== undefined && { busPath: fitting(busPath) }),
    ...(type === "hdd" && { rotational: true }),
  };
}

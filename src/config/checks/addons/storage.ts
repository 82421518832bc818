import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import type { Pool } from "../../pools.ts";
import type { Report } from "../../report.ts";
import { told } from "../../told-presets.ts";
import type { Check, Facts } from "../facts.ts";

/** At most one storage class is the default, and volumes that are named are there. */
export const storage: Check = (facts, report) => {
  oneDefault(facts, report);
  classNames(facts, report);
  longhornVolume(facts, report);
};

function oneDefault({ draft }: Facts, report: Report): void {
  const classes = told(draft, "proxmoxCsi")?.classes ?? [];
  const [longhorn, localPath] = [told(draft, "longhorn"), told(draft, "localPath")];
  const defaults: Path[] = [
    ...classes.flatMap((one, index) => (one?.default === true ? [["addons", "proxmoxCsi", "classes", index, "default"]] : [])),
    ...(longhorn !== undefined && longhorn.defaultClass !== false ? [["addons", "longhorn", "defaultClass"]] : []),
    ...(localPath?.defaultClass === true ? [["addons", "localPath", "defaultClass"]] : []),
  ];
  const [first, ...more] = defaults;
  for (const path of first === undefined ? [] : more)
    report.problem(path, {
      message: `${pathName(path)} makes a second default storage class, beside ${pathName(first ?? [])} (${report.line(first ?? [])})`,
      hint: `keep one: write ${path.at(-1)}: false for the other`,
      on: "key",
    });
}

function classNames({ draft }: Facts, report: Report): void {
  const names = (told(draft, "proxmoxCsi")?.classes ?? []).map((one) => one?.name);
  for (const [index, name] of names.entries()) {
    if (name === undefined || names.indexOf(name) === index) continue;
    const path = ["addons", "proxmoxCsi", "classes", index, "name"];
    report.problem(path, {
      message: `${pathName(path)} is the name of another storage class`,
      hint: "give one of the two another name",
      remark: "used twice",
    });
  }
}

/** Longhorn's data is on every node that has its volume, so the nodes that run workloads need it. */
function longhornVolume({ draft, pools }: Facts, report: Report): void {
  const volume = told(draft, "longhorn")?.volume;
  if (volume === undefined || draft.nodes === undefined) return;
  const workers = pools.filter(({ role }) => role === "worker");
  const holders = workers.length > 0 ? workers : pools;
  const without = holders.find((pool) => !hasVolume(pool, volume, report));
  if (without === undefined) return;
  report.problem(["addons", "longhorn", "volume"], {
    message: `addons.longhorn.volume is ${volume}, and ${without.own.name ?? `nodes[${without.index}]`} has no user volume of that name`,
    hint: `add to ${pathName(["defaults", "worker"])}:\nvolumes: [{ name: ${volume}, disk: /dev/sdb, minSize: 100GiB }]`,
  });
}

/** What is written wrongly is told elsewhere. */
function hasVolume(pool: Pool, name: string, report: Report): boolean {
  const volumes = pool.everywhere("volumes").flatMap(({ value }) => value);
  const disks = pool.settings.disks ?? [];
  const unclear =
    [...volumes, ...disks].includes(undefined) ||
    ["volumes", "disks"].some(
      (key) => report.has(pool.origin(key)) && pool.origin(key).length > 2 && pool.settings[key as "disks"] === undefined,
    );
  return (
    unclear ||
    volumes.some((volume) => volume?.name === name && (volume.kind ?? "user") === "user") ||
    disks.some((disk) => disk?.volume === name && disk.raw !== true)
  );
}

import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import type { Pool } from "../../pools.ts";
import type { Report } from "../../report.ts";
import { told, toldOf } from "../../told-presets.ts";
import type { Check, Facts } from "../facts.ts";

/** Checks for a single default storage class, and that named volumes exist. */
export const storage: Check = (facts, report) => {
  oneDefault(facts, report);
  longhornVolume(facts, report);
};

function oneDefault({ draft, platform }: Facts, report: Report): void {
  const [longhorn, localPath] = [told(draft, "longhorn"), told(draft, "localPath")];
  const defaults: Path[] = [
    ...toldOf(draft, platform).flatMap(({ key, addon, told }) =>
      (addon.defaultClasses?.(told) ?? []).map((path) => ["addons", key, ...path]),
    ),
    ...(longhorn !== undefined && longhorn.defaultClass !== false ? [["addons", "longhorn", "defaultClass"]] : []),
    ...(localPath?.defaultClass === true ? [["addons", "localPath", "defaultClass"]] : []),
  ];
  const [first, ...more] = defaults;
  for (const path of first === undefined ? [] : more)
    report.problem(path, {
      message: `${pathName(path)} creates a second default storage class, besides ${pathName(first ?? [])} (${report.line(first ?? [])})`,
      hint: `keep one: write ${path.at(-1)}: false for the other`,
      on: "key",
    });
}

/** Longhorn's data is on every node that has its volume, so the nodes that run workloads need it. */
function longhornVolume(facts: Facts, report: Report): void {
  const { draft, pools } = facts;
  const volume = told(draft, "longhorn")?.volume;
  if (volume === undefined || draft.nodes === undefined) return;
  const workers = pools.filter(({ role }) => role === "worker");
  const holders = workers.length > 0 ? workers : pools;
  const without = holders.find((pool) => !hasVolume(facts, pool, volume, report));
  if (without === undefined) return;
  report.problem(["addons", "longhorn", "volume"], {
    message: `addons.longhorn.volume is ${volume}, but ${without.own.name ?? `nodes[${without.index}]`} has no user volume of that name`,
    hint: `add to ${pathName(["defaults", "worker"])}:\nvolumes: [{ name: ${volume}, disk: /dev/sdb, minSize: 100GiB }]`,
  });
}

/** Also true when an invalid value, which is reported elsewhere, could be the volume. */
function hasVolume({ platform }: Facts, pool: Pool, name: string, report: Report): boolean {
  const volumes = pool.everywhere("volumes").flatMap(({ value }) => value);
  const onDisks = platform?.machines.kind === "made" ? platform.machines.volumes(pool) : [];
  const origin = pool.origin("volumes");
  const unclear =
    [...volumes, ...onDisks].includes(undefined) ||
    (report.has(origin) && origin.length > 2 && pool.settings.volumes === undefined);
  return (
    unclear || volumes.some((volume) => volume?.name === name && (volume.kind ?? "user") === "user") || onDisks.includes(name)
  );
}

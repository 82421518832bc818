import { formatMiB, parseSize } from "@talosmith/lib/units.ts";
import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import type { Pool } from "../pools.ts";
import type { Report } from "../report.ts";
import type { Check, Facts } from "./facts.ts";

type Volume = NonNullable<NonNullable<Pool["settings"]["volumes"]>[number]>;

/** Talos's own names for partitions. */
const RESERVED = ["EFI", "BIOS", "BOOT", "META", "STATE", "EPHEMERAL", "IMAGECACHE"];

export function isTalosName(name: string): boolean {
  return RESERVED.includes(name.toUpperCase());
}

/** Checks that volumes have unique names, possible sizes, and space on the disk. */
export const disks: Check = (facts, report) => {
  for (const pool of facts.pools) {
    for (const { path, value } of pool.everywhere("volumes")) volumes(value, path, report);
    roomBeside(pool, report);
    const { ephemeral } = pool.settings;
    if (ephemeral !== undefined) inOrder(ephemeral, pool.origin("ephemeral"), report);
    encryption(pool, facts, report);
  }
};

function volumes(all: readonly (Volume | undefined)[], path: Path, report: Report): void {
  const names = all.map((volume) => volume?.name);
  for (const [index, volume] of all.entries()) {
    if (volume === undefined) continue;
    const at = [...path, index];
    const { name, kind = "user" } = volume;
    if (name !== undefined && names.indexOf(name) !== index)
      report.problem([...at, "name"], {
        message: `${pathName([...at, "name"])} is the name of another volume`,
        hint: "give one of the two another name",
        remark: "used twice",
      });
    if (name !== undefined && isTalosName(name))
      report.problem([...at, "name"], {
        message: `${pathName([...at, "name"])} is a name that Talos uses itself`,
        hint: "choose another; ephemeral sets the size of EPHEMERAL, encryption how STATE and EPHEMERAL are encrypted",
      });
    if (volume.filesystem !== undefined && kind !== "user")
      report.problem([...at, "filesystem"], {
        message: `${pathName([...at, "filesystem"])} is set, but a ${kind} volume has no file system`,
        hint: "remove it, or set kind: user",
        on: "key",
      });
    sizes(volume, at, report);
  }
}

function sizes(volume: Volume, at: Path, report: Report): void {
  const { size } = volume;
  const others = (["minSize", "maxSize", "grow"] as const).filter((key) => volume[key] !== undefined && volume[key] !== false);
  if (size !== undefined && others.length > 0)
    report.problem([...at, "size"], {
      message: `${pathName(at)} has both size and ${others.join(" and ")}`,
      hint: "keep size for an exact size, or minSize and maxSize for a range",
      on: "key",
    });
  // A size that could not be read is written all the same.
  else if (
    size === undefined &&
    others.every((key) => key === "grow") &&
    !report.has([...at, "size"]) &&
    !report.has([...at, "minSize"]) &&
    !report.has([...at, "maxSize"])
  )
    report.problem(
      at,
      {
        message: `${pathName(at)} has no size`,
        hint: "add size, minSize or maxSize, such as size: 100GiB",
        remark: "size is missing",
      },
      "CONFIG_MISSING_KEY",
    );
  inOrder(volume, at, report);
}

function inOrder(
  { minSize, maxSize }: { minSize?: string | undefined; maxSize?: string | undefined },
  at: Path,
  report: Report,
): void {
  const [least, most] = [mib(minSize), mib(maxSize)];
  if (least === undefined || most === undefined || least <= most) return;
  report.problem([...at, "maxSize"], {
    message: `${pathName([...at, "maxSize"])} is less than minSize`,
    hint: `use at least ${formatMiB(least).replace(" ", "")}`,
  });
}

/** Talos creates EPHEMERAL first, which by default uses all space. */
function roomBeside({ settings, everywhere }: Pool, report: Report): void {
  const { ephemeral } = settings;
  if (ephemeral?.maxSize !== undefined || ephemeral?.disk !== undefined) return;
  for (const { path, value } of everywhere("volumes"))
    for (const [index, volume] of value.entries()) {
      if (volume === undefined || report.has([...path, index, "disk"])) continue;
      report.problem([...path, index], {
        message: `${pathName([...path, index])} is on the system disk, where ephemeral takes all remaining space`,
        hint: "limit ephemeral on the node or in the defaults:\nephemeral: { maxSize: 60GiB }\nor choose another disk for the volume",
        remark: "no space left for it",
      });
    }
}

function encryption(pool: Pool, facts: Facts, report: Report): void {
  const { settings, origin, everywhere } = pool;
  const keys: [Path, unknown][] = [
    ...(["state", "ephemeral"] as const).map((which): [Path, unknown] => [
      [...origin("encryption"), which],
      settings.encryption?.[which],
    ]),
    ...everywhere("volumes").flatMap(({ path, value }) =>
      value.map((volume, index): [Path, unknown] => [[...path, index, "encryption"], volume?.encryption]),
    ),
  ];
  for (const [path, key] of keys) sealed(path, key, pool, facts, report);
  const { state } = settings.encryption ?? {};
  if (typeof state === "object" && state.passphrase !== undefined)
    report.warn([...origin("encryption"), "state"], {
      message: `${pathName([...origin("encryption"), "state"])} is a passphrase, which Talos stores unencrypted on the same disk`,
      hint: "use nodeID, tpm or kms for it; a passphrase only protects other partitions",
    });
}

/** Encryption by tpm needs a TPM, and is safe only with Secure Boot. */
export function sealed(path: Path, key: unknown, pool: Pool, { draft, platform }: Facts, report: Report): void {
  if (key !== "tpm") return;
  if (platform?.machines.kind === "made" && !platform.machines.hasTpm(pool))
    report.problem(path, {
      message: `${pathName(path)} is tpm, but the machine has no TPM`,
      hint: "add tpm: true to the node or the defaults, or use nodeID",
    });
  else if (draft.image?.secureboot !== true)
    report.warn(path, {
      message: `${pathName(path)} is tpm, but without Secure Boot anyone who has the machine can read the disk`,
      hint: "set image.secureboot: true",
    });
}

function mib(size: string | undefined): number | undefined {
  const parsed = size === undefined ? undefined : parseSize(size);
  return parsed?.ok ? parsed.mib : undefined;
}

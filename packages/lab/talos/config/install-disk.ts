import type { Json } from "@talosmith/lib/json.ts";
import type { CelValue } from "../cel/evaluate.ts";
import { celHolds } from "../cel/evaluate.ts";
import { diskFacts } from "../disk-facts.ts";
import type { Disk } from "../state.ts";
import { at, filled, isFields, quoted, word } from "./values.ts";

const GLOBS = [
  ["uuid", "uuid"],
  ["wwid", "wwid"],
  ["model", "model"],
  ["serial", "serial"],
  ["modalias", "modalias"],
] as const;

const TYPES: Readonly<Record<string, string>> = {
  nvme: 'disk.transport == "nvme"',
  sd: 'disk.transport == "mmc"',
  hdd: "disk.rotational",
  ssd: "!disk.rotational",
};

/** Why machine.install.diskSelector is invalid. */
export function selectorProblem(selector: Json | undefined): string | undefined {
  if (!isFields(selector)) return undefined;
  if (filled(selector.name)) return "selector on name is not supported";
  const type = word(selector.type);
  return type === "" || Object.hasOwn(TYPES, type) ? undefined : `unsupported disk type ${quoted(type)}`;
}

const UNITS: readonly (readonly [pattern: RegExp, bytes: number])[] = [
  [/^b?$/, 1],
  ...["k", "m", "g", "t", "p", "e"].flatMap((letter, index) => [
    [new RegExp(`^${letter}b?$`), 1000 ** (index + 1)] as const,
    [new RegExp(`^${letter}ib?$`), 1024 ** (index + 1)] as const,
  ]),
];

/** Parses a size: "100 GB". */
export function bytesIn(text: string): number {
  const [, number = "", unit = ""] = /^([\d.,]*)\s*([a-z]*)/i.exec(text.trim()) ?? [];
  const factor = UNITS.find(([pattern]) => pattern.test(unit.toLowerCase()))?.[1] ?? 1;
  return Number(number.replaceAll(",", "")) * factor;
}

/** The CEL expression that Talos makes of a diskSelector, in its printed form. */
export function selectorExpression(selector: Json | undefined): string {
  const [, sign, size = ""] = /^(>=|<=|>|<|==)?(.*)$/.exec(word(at(selector, "size")).trim()) ?? [];
  const type = word(at(selector, "type"));
  const path = word(at(selector, "busPath"));
  const glob = (pattern: string, field: string) => `glob(${quoted(pattern)}, disk.${field})`;
  return wrapped([
    ...(size === "" ? [] : [`disk.size ${sign ?? "=="} ${bytesIn(size)}u`]),
    ...GLOBS.flatMap(([key, field]) => (filled(at(selector, key)) ? [glob(word(at(selector, key)), field)] : [])),
    'disk.transport != ""',
    ...(type === "" ? [] : [TYPES[type] as string]),
    ...(path === "" ? [] : [glob(path, "bus_path")]),
    "!disk.readonly",
    "!disk.cdrom",
  ]);
}

/** Wraps as CEL's printer does: after an operator beyond column 80. */
function wrapped(terms: readonly string[]): string {
  let text = "";
  for (const [index, term] of terms.entries()) {
    text += term;
    if (index === terms.length - 1) return text;
    text += " &&";
    text += text.length - (text.lastIndexOf("\n") + 1) > 80 ? "\n" : " ";
  }
  return text;
}

/** The variables of a disk in an expression. */
export function celDisk(disk: Disk): CelValue {
  const { rotational, wwid, uuid, modalias, busPath, symlinks } = diskFacts(disk);
  return {
    dev_path: `/dev/${disk.device}`,
    size: disk.size,
    model: disk.model,
    serial: disk.serial,
    transport: disk.transport,
    cdrom: disk.cdrom,
    readonly: disk.cdrom,
    rotational,
    wwid,
    uuid,
    modalias,
    bus_path: busPath,
    sub_system: "/sys/class/block",
    symlinks,
    secondary_disks: [],
  };
}

export function disksMatching(disks: readonly Disk[], expression: string, systemDisk?: string): Disk[] {
  return disks.filter((disk) =>
    celHolds(expression, { disk: celDisk(disk), system_disk: systemDisk !== undefined && disk.name === systemDisk }),
  );
}

/** The disk to install to: by path, or the first one that a selector or an expression matches; otherwise an error message. */
export function installDisk(disks: readonly Disk[], install: Json | undefined): Disk | string {
  const usable = disks.filter((disk) => !disk.cdrom);
  const selector = at(install, "diskSelector");
  const expression = selector === undefined ? word(at(install, "match")) : selectorExpression(selector);
  if (expression !== "") return disksMatching(usable, expression)[0] ?? `no disks matched the expression: ${expression}`;
  const path = word(at(install, "disk"));
  const named = (disk: Disk) => [`/dev/${disk.device}`, ...diskFacts(disk).symlinks].includes(path);
  return usable.find(named) ?? `lstat ${path}: no such file or directory`;
}

/** Whether a config asks for an installation: from 1.14 on it is optional. */
export function wantsInstall(install: Json | undefined): boolean {
  return ["disk", "diskSelector", "match"].some((key) => filled(at(install, key)));
}

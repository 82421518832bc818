import type { Json } from "@talosmith/lib/json.ts";
import { complain, optionsOf, print } from "../../shell/programs/program.ts";
import { type BlockDevice, blockTree, devicePath } from "../system/block-tree.ts";
import type { Program } from "./program.ts";

interface Shown {
  device: BlockDevice;
  parent?: BlockDevice;
}

interface Manner {
  bytes: boolean;
  paths: boolean;
}

/** "40G", "1.9T": as lsblk shortens. */
function shortSize(bytes: number): string {
  const units = ["B", "K", "M", "G", "T", "P"];
  let [size, at] = [bytes, 0];
  while (size >= 1024 && at < units.length - 1) {
    size /= 1024;
    at++;
  }
  return `${Number.isInteger(size) ? size : size.toFixed(1)}${units[at]}`;
}

const transport = ({ name, type }: BlockDevice): string | null =>
  type !== "disk"
    ? null
    : name.startsWith("nvme")
      ? "nvme"
      : name.startsWith("vd")
        ? "virtio"
        : name.startsWith("sd")
          ? "sata"
          : null;

const ofDisk = ({ type, disk }: BlockDevice) => (type === "disk" ? disk : undefined);

/** "0x5000c500…" of "naa.5000c500…"; others are as they are. */
const wwn = (wwid: string | undefined) => (wwid === undefined ? null : wwid.startsWith("naa.") ? `0x${wwid.slice(4)}` : wwid);

const orNull = (text: string | undefined): string | null => (text === undefined || text === "" ? null : text);

/** util-linux 2.38, in its order. */
const COLUMNS: Readonly<Record<string, (shown: Shown, how: Manner) => Json>> = {
  NAME: ({ device }, { paths }) => (paths ? devicePath(device) : device.name),
  KNAME: ({ device }) => (device.type === "lvm" ? `dm-${device.numbers.split(":")[1]}` : device.name),
  PATH: ({ device }) => devicePath(device),
  "MAJ:MIN": ({ device }) => device.numbers,
  FSTYPE: ({ device }) => orNull(device.signature?.type),
  FSVER: () => null,
  FSAVAIL: () => null,
  "FSUSE%": () => null,
  FSROOTS: () => [null],
  MOUNTPOINT: ({ device }) => device.mounts[0] ?? (device.swap ? "[SWAP]" : null),
  MOUNTPOINTS: ({ device }) => (device.mounts.length > 0 ? device.mounts : [device.swap ? "[SWAP]" : null]),
  LABEL: ({ device }) => orNull(device.signature?.label),
  UUID: ({ device }) => orNull(device.signature?.uuid),
  PTUUID: () => null,
  PTTYPE: ({ device }) => device.table ?? null,
  PARTTYPE: ({ device }) => device.partition?.type ?? null,
  PARTLABEL: ({ device }) => orNull(device.partition?.name),
  PARTUUID: ({ device }) => device.partition?.uuid ?? null,
  RO: ({ device }) => device.readonly,
  RM: ({ device }) => device.disk?.removable ?? false,
  HOTPLUG: ({ device }) => device.disk?.removable ?? false,
  MODEL: ({ device }) => orNull(ofDisk(device)?.model),
  SERIAL: ({ device }) => orNull(ofDisk(device)?.serial),
  SIZE: ({ device }, { bytes }) => (bytes ? device.bytes : shortSize(device.bytes)),
  STATE: ({ device }) => (device.type === "disk" ? "running" : null),
  OWNER: () => "root",
  GROUP: () => "disk",
  MODE: () => "brw-rw----",
  ALIGNMENT: () => 0,
  "MIN-IO": () => 512,
  "OPT-IO": () => 0,
  "PHY-SEC": () => 512,
  "LOG-SEC": () => 512,
  ROTA: ({ device }) => device.disk?.rotational ?? false,
  SCHED: () => "none",
  TYPE: ({ device }) => device.type,
  "DISC-MAX": () => "0B",
  PKNAME: ({ parent }) => parent?.name ?? null,
  TRAN: ({ device }) => transport(device),
  VENDOR: ({ device }) => (device.type === "disk" && device.name.startsWith("sd") ? "QEMU    " : null),
  WWN: ({ device }) => wwn(ofDisk(device)?.wwid),
};

const USUAL = ["NAME", "MAJ:MIN", "RM", "SIZE", "RO", "TYPE", "MOUNTPOINTS"];

export const lsblk: Program = async (started) => {
  const { given, rest } = optionsOf(started.args, ["o", "output", "e", "I", "x"]);
  const has = (letter: string, name: string) => given.has(letter) || given.has(name);
  if (has("V", "version")) return print(started, "lsblk from util-linux 2.38.1\n");
  const wanted = given.get("o") ?? given.get("output");
  const columns = has("O", "output-all")
    ? Object.keys(COLUMNS)
    : wanted === undefined
      ? USUAL
      : wanted
          .toUpperCase()
          .replace(/^\+/, `${USUAL.join(",")},`)
          .split(",");
  const unknown = columns.find((column) => !Object.hasOwn(COLUMNS, column));
  if (unknown !== undefined)
    return complain(started, `lsblk: unknown column: ${columns.slice(columns.indexOf(unknown)).join(",")}`);
  const tree = started.host.look(blockTree);
  const paths = rest.map((path) => path.replace(/^\/dev\/(mapper\/)?/, ""));
  const found = paths.map((name) => find(tree, name));
  const missing = found.indexOf(undefined);
  if (missing >= 0) return complain(started, `lsblk: ${rest[missing]}: not a block device`, 32);
  const roots: Shown[] = rest.length > 0 ? found.flatMap((one) => one ?? []) : tree.map((device) => ({ device }));
  const how: Manner = { bytes: has("b", "bytes"), paths: has("p", "paths") };
  const cell = (shown: Shown, column: string) => COLUMNS[column]?.(shown, how) ?? null;
  const deep = !has("d", "nodeps");
  const flat = has("l", "list") || has("P", "pairs") || has("r", "raw");
  if (has("J", "json")) {
    const object = (shown: Shown): Json => ({
      ...Object.fromEntries(columns.map((column) => [column.toLowerCase(), cell(shown, column)])),
      ...(deep &&
        !flat &&
        columns.includes("NAME") &&
        shown.device.children.length > 0 && { children: below(shown).map(object) }),
    });
    const all = deep && (flat || !columns.includes("NAME")) ? roots.flatMap(everything) : roots;
    return print(started, `${JSON.stringify({ blockdevices: all.map(object) }, null, 3)}\n`);
  }
  const lines = deep
    ? roots.flatMap((root) => (flat ? everything(root).map((shown) => ({ shown, before: "" })) : drawn(root, "", "")))
    : roots.map((shown) => ({ shown, before: "" }));
  const text = (value: Json): string =>
    value === null
      ? ""
      : Array.isArray(value)
        ? value.map(text).join("\\x0a")
        : typeof value === "boolean"
          ? String(Number(value))
          : String(value);
  if (has("P", "pairs")) {
    const rows = lines.map(({ shown }) =>
      columns.map((column) => `${column.replace(/[%:-]/g, "_")}="${text(cell(shown, column))}"`).join(" "),
    );
    return print(started, rows.map((row) => `${row}\n`).join(""));
  }
  const rows = lines.map(({ shown, before }) =>
    columns.map((column) => (column === "NAME" ? `${before}${text(cell(shown, column))}` : text(cell(shown, column)))),
  );
  const all = has("n", "noheadings") ? rows : [columns, ...rows];
  if (has("r", "raw")) return print(started, all.map((row) => `${row.join(" ")}\n`).join(""));
  return print(started, tabular(all, columns));
};

function tabular(rows: readonly (readonly string[])[], columns: readonly string[]): string {
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  const right = new Set(["SIZE", "MAJ:MIN", "RM", "RO", "ROTA"]);
  const padded = (text: string, at: number) =>
    right.has(columns[at] ?? "") ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0);
  return rows.map((row) => `${row.map(padded).join(" ").trimEnd()}\n`).join("");
}

const below = ({ device }: Shown): Shown[] => device.children.map((child) => ({ device: child, parent: device }));

function everything(shown: Shown): Shown[] {
  return [shown, ...below(shown).flatMap(everything)];
}

function drawn(shown: Shown, before: string, under: string): { shown: Shown; before: string }[] {
  const children = below(shown);
  return [
    { shown, before },
    ...children.flatMap((child, at) => {
      const isLast = at === children.length - 1;
      return drawn(child, `${under}${isLast ? "└─" : "├─"}`, `${under}${isLast ? "  " : "│ "}`);
    }),
  ];
}

function find(devices: readonly BlockDevice[], name: string, parent?: BlockDevice): Shown | undefined {
  for (const device of devices) {
    if (device.name === name) return { device, ...(parent && { parent }) };
    const inside = find(device.children, name, device);
    if (inside) return inside;
  }
  return undefined;
}

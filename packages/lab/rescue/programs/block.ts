import { complain, optionsOf, print } from "../../shell/programs/program.ts";
import { eraseDisk } from "../disk/blocks.ts";
import { tableOf } from "../disk/table.ts";
import { type BlockDevice, blockDevices, devicePath } from "../system/block-tree.ts";
import { nodeAt } from "../system/files.ts";
import type { View } from "../system/host.ts";
import { mountsOf } from "../system/mounts.ts";
import { absolute, type Program, type Started } from "./program.ts";

function deviceAt(started: Started, path: string): BlockDevice | undefined {
  const node = started.host.look((view) => nodeAt(view, absolute(started, path)));
  return node?.is === "device" ? node.device : undefined;
}

export const blockdev: Program = async (started) => {
  const path = started.args.at(-1) ?? "";
  const device = deviceAt(started, path);
  if (!device) return complain(started, `blockdev: cannot open ${path}: No such file or directory`);
  for (const action of started.args.slice(0, -1)) {
    if (action === "--getsize64") await print(started, `${device.bytes}\n`);
    else if (action === "--getsz" || action === "--getsize") await print(started, `${device.bytes / 512}\n`);
    else if (action === "--getss" || action === "--getpbsz") await print(started, "512\n");
    else if (action === "--getbsz") await print(started, "4096\n");
    else if (action === "--getro") await print(started, device.readonly ? "1\n" : "0\n");
    else if (action === "--rereadpt" && isUsed(started, device))
      return complain(started, "blockdev: ioctl error on BLKRRPART: Device or resource busy");
    else if (!["--rereadpt", "--flushbufs", "--setro", "--setrw", "-q"].includes(action))
      return complain(started, `blockdev: Unknown command: ${action}`);
  }
  return 0;
};

function isUsed(started: Started, { name }: BlockDevice): boolean {
  return started.host.look((view) =>
    blockDevices(view).some(
      (one) =>
        one.name.startsWith(name) && (one.mounts.length > 0 || one.swap || one.children.some(({ type }) => type !== "part")),
    ),
  );
}

export const blkid: Program = async (started) => {
  const { rest } = optionsOf(started.args, ["o", "s"]);
  const found = started.host.look((view) =>
    blockDevices(view).filter((device) => rest.length === 0 || rest.includes(devicePath(device))),
  );
  const lines = found.flatMap((device) => {
    const { signature, partition, table, type } = device;
    const facts = [
      ...(signature?.label ? [`LABEL="${signature.label}"`] : []),
      ...(signature?.uuid ? [`UUID="${signature.uuid}"`] : []),
      ...(signature ? [`TYPE="${signature.type}"`] : []),
      ...(type === "disk" && table ? [`PTTYPE="${table}"`] : []),
      ...(partition?.name ? [`PARTLABEL="${partition.name}"`] : []),
      ...(partition ? [`PARTUUID="${partition.uuid}"`] : []),
    ];
    return facts.length > 0 ? [`${devicePath(device)}: ${facts.join(" ")}\n`] : [];
  });
  await print(started, lines.join(""));
  return lines.length > 0 ? 0 : 2;
};

interface Mark {
  type: string;
  offset: number;
  length: number;
  uuid?: string;
  label?: string;
}

function marksOf({ signature, disk, type }: BlockDevice): Mark[] {
  const own = signature ? [{ ...signature, length: 8 }] : [];
  if (type !== "disk" || !disk || !tableOf(disk)) return own;
  const gpt = (offset: number): Mark => ({ type: "gpt", offset, length: 8 });
  return [...own, gpt(512), gpt(disk.bytes - 512), { type: "PMBR", offset: 510, length: 2 }];
}

export const wipefs: Program = async (started) => {
  const { given, rest } = optionsOf(started.args, ["t", "o", "O"]);
  for (const path of rest) {
    const device = deviceAt(started, path);
    if (!device) return complain(started, `wipefs: error: ${path}: probing initialization failed: No such file or directory`);
    const marks = marksOf(device);
    if (!given.has("a") && !given.has("all")) {
      const rows = marks.map(({ type, offset, uuid = "", label = "" }) =>
        `${device.name}  0x${offset.toString(16)} ${type} ${uuid} ${label}`.trimEnd(),
      );
      await print(started, marks.length > 0 ? `DEVICE OFFSET TYPE UUID LABEL\n${rows.join("\n")}\n` : "");
      continue;
    }
    if (isUsed(started, device) && !given.has("f"))
      return complain(started, `wipefs: error: ${path}: probing initialization failed: Device or resource busy`);
    for (const { type, offset, length } of marks) {
      if (!given.has("n")) started.host.look(() => device.disk && eraseDisk(device.disk, device.offset + offset, length));
      await print(
        started,
        `${path}: ${length} bytes were erased at offset 0x${offset.toString(16).padStart(8, "0")} (${type})\n`,
      );
    }
  }
  return 0;
};

export const sfdisk: Program = async (started) => {
  const { given, rest } = optionsOf(started.args);
  const [path = ""] = rest;
  const device = deviceAt(started, path);
  if (!device?.disk) return complain(started, `sfdisk: cannot open ${path}: No such file or directory`);
  const table = tableOf(device.disk);
  if (!table) return complain(started, `sfdisk: ${path}: does not contain a recognized partition table`);
  if (given.has("verify") || given.has("V")) return print(started, "No errors detected.\n");
  const head = `label: gpt\nlabel-id: ${table.disk.toUpperCase()}\ndevice: ${path}\nunit: sectors\nfirst-lba: 34\nlast-lba: ${table.sectors - 34}\nsector-size: 512\n\n`;
  const rows = table.entries.map((entry) => {
    const name = entry.name === "" ? "" : `, name="${entry.name}"`;
    const number = `${/\d$/.test(path) ? "p" : ""}${entry.index + 1}`;
    return `${path}${number} : start=${String(entry.first).padStart(12)}, size=${String(entry.last - entry.first + 1).padStart(12)}, type=${entry.type.toUpperCase()}, uuid=${entry.uuid.toUpperCase()}${name}\n`;
  });
  if (given.has("d") || given.has("dump") || given.has("l") || given.has("list"))
    return print(started, `${head}${rows.join("")}`);
  return complain(started, "sfdisk: the lab's rescue systems only show tables");
};

const FIND_COLUMNS: Readonly<Record<string, "target" | "source" | "type" | "options" | "numbers">> = {
  ...{ TARGET: "target", SOURCE: "source", FSTYPE: "type", OPTIONS: "options", "MAJ:MIN": "numbers" },
};

export const findmnt: Program = async (started) => {
  const { given, rest } = optionsOf(started.args, ["o", "output", "T", "S", "t", "target", "source"]);
  const columns = (given.get("o") ?? given.get("output") ?? "TARGET,SOURCE,FSTYPE,OPTIONS").toUpperCase().split(",");
  const unknown = columns.find((column) => !FIND_COLUMNS[column]);
  if (unknown !== undefined) return complain(started, `findmnt: unknown column: ${unknown}`);
  const wanted = rest[0] ?? given.get("T") ?? given.get("target") ?? given.get("S") ?? given.get("source");
  const found = started.host
    .look(mountsOf)
    .filter(({ source, target }) => wanted === undefined || target === wanted || source === wanted);
  if (found.length === 0) return 1;
  const rows = found.map((mount) => columns.map((column) => mount[FIND_COLUMNS[column] ?? "target"]));
  if (given.has("J") || given.has("json")) {
    const objects = rows.map((row) => Object.fromEntries(columns.map((column, at) => [column.toLowerCase(), row[at] ?? null])));
    return print(started, `${JSON.stringify({ filesystems: objects }, null, 3)}\n`);
  }
  const widths = columns.map((column, at) => Math.max(column.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const shown = given.has("n") || given.has("noheadings") ? rows : [columns, ...rows];
  return print(
    started,
    shown
      .map(
        (row) =>
          `${row
            .map((text, at) => text.padEnd(widths[at] ?? 0))
            .join(" ")
            .trimEnd()}\n`,
      )
      .join(""),
  );
};

export const umount: Program = async (started) => {
  for (const path of optionsOf(started.args, ["t"]).rest) {
    const gone = change(started, ({ linux }) => {
      const before = linux.mounts.length;
      linux.mounts = linux.mounts.filter(({ device, at }) => at === "/" || (at !== path && `/dev/${device}` !== path));
      return linux.mounts.length < before;
    });
    if (!gone) return complain(started, path === "/" ? "umount: /: target is busy." : `umount: ${path}: not mounted.`, 32);
  }
  return 0;
};

function change<T>(started: Started, work: (view: View) => T): T {
  return started.host.look(work);
}

export const swapoff: Program = async (started) => {
  const { given, rest } = optionsOf(started.args);
  change(started, ({ linux }) => {
    linux.swaps = given.has("a") ? [] : linux.swaps.filter((name) => !rest.includes(`/dev/${name}`));
  });
  return 0;
};

export const mdadm: Program = async (started) => {
  const { given, rest } = optionsOf(started.args);
  if (given.has("stop") || given.has("S")) {
    for (const path of rest) {
      const stopped = change(started, (view) => {
        const before = view.linux.arrays.length;
        const used = blockDevices(view).some(({ name, mounts }) => `/dev/${name}` === path && mounts.length > 0);
        if (!used) view.linux.arrays = view.linux.arrays.filter(({ name }) => `/dev/${name}` !== path);
        return view.linux.arrays.length < before;
      });
      if (!stopped) return complain(started, `mdadm: error opening ${path}: No such file or directory`);
      await complain(started, `mdadm: stopped ${path}`, 0);
    }
    return 0;
  }
  if (given.has("examine") || given.has("E")) {
    for (const path of rest) {
      const signature = deviceAt(started, path)?.signature;
      if (signature?.type !== "linux_raid_member") return complain(started, `mdadm: No md superblock detected on ${path}.`);
      await print(
        started,
        `${path}:\n          Magic : a92b4efc\n        Version : 1.2\n     Array UUID : ${signature.uuid}\n           Name : ${signature.label}\n`,
      );
    }
    return 0;
  }
  return complain(started, "mdadm: the lab's rescue systems know --stop and --examine");
};

export const vgchange: Program = async (started) => {
  const isOff = started.args.some((arg, at) => arg === "-an" || (arg === "-a" && started.args[at + 1] === "n"));
  if (isOff)
    change(started, ({ linux }) => {
      linux.volumes = [];
    });
  return print(started, '  0 logical volume(s) in volume group "vg0" now active\n');
};

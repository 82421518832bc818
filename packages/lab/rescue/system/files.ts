import { posix } from "node:path";
import { CHARACTER_DEVICES, characterDevice } from "../../shell/character-devices.ts";
import { matchingPaths, type Piece } from "../../shell/pattern.ts";
import type { FileKind, Opening } from "../../shell/process.ts";
import { counted, FileProblem, fromBytes, newPipe, type OpenFile, unreadable, unwritable } from "../../shell/streams.ts";
import { readDisk, writeDisk } from "../disk/blocks.ts";
import { RESET } from "../state.ts";
import type { BlockDevice } from "./block-tree.ts";
import type { Host, View } from "./host.ts";
import { type Tree, treeOf } from "./tree.ts";

export type Node =
  | { is: "file"; content: Buffer; own: boolean }
  | { is: "folder" }
  | { is: "fifo" }
  | { is: "device"; device: BlockDevice }
  | { is: "character" };

/** Read in pieces of this size. */
const PIECE = 1024 ** 2;

/** The path that is left when links are followed. */
export function realPath(tree: Tree, path: string): string {
  const plain = posix
    .resolve("/", path)
    .replace(/^\/proc\/\d+\//, "/proc/gone/")
    .replace(/^\/sys\/class\/block\//, "/sys/block/");
  const target = tree.links.get(plain);
  return target?.startsWith("/") ? target : plain;
}

export function nodeAt(view: View, path: string, tree: Tree = treeOf(view)): Node | undefined {
  const { linux } = view;
  const at = realPath(tree, path);
  if (CHARACTER_DEVICES.includes(at)) return { is: "character" };
  const own = linux.files[at];
  if (own !== undefined) return { is: "file", content: Buffer.from(own, "base64"), own: true };
  if (linux.fifos.includes(at)) return { is: "fifo" };
  const device = tree.devices.get(at);
  if (device) return { is: "device", device };
  const shown = tree.files.get(at);
  if (shown !== undefined) return { is: "file", content: Buffer.from(shown as string), own: false };
  if (at === "/" || tree.folders.has(at) || linux.folders.includes(at)) return { is: "folder" };
  return everyPath(view, tree).some((one) => one.startsWith(`${at}/`)) ? { is: "folder" } : undefined;
}

function everyPath({ linux }: View, tree: Tree): string[] {
  return [
    ...[...tree.files.keys(), ...tree.devices.keys(), ...tree.links.keys(), ...tree.folders],
    ...[...Object.keys(linux.files), ...linux.folders, ...linux.fifos, ...CHARACTER_DEVICES],
  ];
}

/** Names in a folder, sorted. */
export function namesIn(view: View, folder: string): string[] {
  const tree = treeOf(view);
  const at = realPath(tree, folder);
  const start = at === "/" ? "/" : `${at}/`;
  const names = everyPath(view, tree)
    .filter((path) => path.startsWith(start))
    .map((path) => path.slice(start.length).split("/")[0] ?? "");
  return [...new Set(names)].filter((name) => name !== "").sort();
}

export function matching(view: View, pattern: readonly Piece[], folder: string): string[] {
  return matchingPaths(everyPath(view, treeOf(view)), pattern, folder);
}

export function kindAt(view: View, path: string): FileKind | undefined {
  const node = nodeAt(view, path);
  return node && { is: node.is, isEmpty: node.is === "file" && node.content.length === 0 };
}

export function isLink(view: View, path: string): boolean {
  return treeOf(view).links.has(path);
}

/** Why no file can be created there. */
function whyNotMade(view: View, path: string): string | undefined {
  const folder = posix.dirname(path);
  if (/^\/(proc|sys)(\/|$)/.test(folder)) return "Permission denied";
  const node = nodeAt(view, folder);
  if (node?.is === "folder") return undefined;
  return node ? "Not a directory" : "No such file or directory";
}

export async function openFile(host: Host, path: string, how: Opening): Promise<OpenFile> {
  const [at, node] = host.look((view) => [realPath(treeOf(view), path), nodeAt(view, path)] as const);
  if (node?.is === "folder") throw new FileProblem("Is a directory");
  if (node?.is === "character") return characterDevice(at) ?? kernelFile();
  if (node?.is === "fifo") return namedPipe(host, at, how);
  if (node?.is === "device") return deviceFile(host, at, how);
  if (how === "read") {
    if (!node) throw new FileProblem("No such file or directory");
    return fromBytes(node.content);
  }
  if (at === "/proc/sysrq-trigger") return trigger(host);
  if (node && !node.own) return at.startsWith("/proc/sys/") ? kernelFile() : denied();
  const problem = host.look((view) => whyNotMade(view, at));
  if (problem !== undefined) throw new FileProblem(problem);
  if (how === "write") host.look(({ linux }) => Object.assign(linux.files, { [at]: "" }));
  return ownFile(host, at, how);
}

function denied(): never {
  throw new FileProblem("Permission denied");
}

function kernelFile(): OpenFile {
  return counted({ read: async () => Buffer.alloc(0), unread: () => {}, write: async () => {} }, () => {});
}

/** Resets the machine at once. */
function trigger({ lab, name, look }: Host): OpenFile {
  const write = async (bytes: Buffer) => {
    if (bytes.toString("latin1").startsWith("b")) look(() => lab.schedule(RESET, 0, { server: name }));
  };
  return counted({ read: unreadable, unread: () => {}, write }, () => {});
}

function ownFile(host: Host, at: string, how: "write" | "append" | "both"): OpenFile {
  let place = how === "append" ? Number.POSITIVE_INFINITY : 0;
  return counted(
    {
      read: unreadable,
      unread: () => {},
      write: async (bytes) => {
        host.look(({ linux }) => {
          const before = Buffer.from(linux.files[at] ?? "", "base64");
          const start = Math.min(place, before.length);
          linux.files[at] = Buffer.concat([before.subarray(0, start), bytes, before.subarray(start + bytes.length)]).toString(
            "base64",
          );
          place = start + bytes.length;
        });
      },
    },
    () => {},
  );
}

async function namedPipe(host: Host, at: string, how: Opening): Promise<OpenFile> {
  const pipe = host.fifos.get(at) ?? newPipe(host.alive);
  host.fifos.set(at, pipe);
  const side = how === "read" ? "reader" : "writer";
  const met = pipe.met(side);
  const file = side === "reader" ? pipe.reader() : pipe.writer();
  await met;
  return file;
}

/** A device from its beginning on. */
function deviceFile(host: Host, at: string, how: Opening): OpenFile {
  let place = 0;
  const put = (bytes: Buffer) => {
    const written = writeDevice(host, at, place, bytes);
    place += written;
    if (written < bytes.length) throw new FileProblem("No space left on device");
  };
  if (how !== "read") checkWritable(host, at);
  return counted(
    {
      read: async () => {
        const bytes = readDevice(host, at, place, PIECE);
        place += bytes.length;
        return bytes;
      },
      unread: (bytes) => {
        place -= bytes.length;
      },
      write: how === "read" ? unwritable : async (bytes) => put(bytes),
    },
    () => {},
  );
}

function checkWritable(host: Host, at: string): void {
  const node = host.look((view) => nodeAt(view, at));
  if (node?.is === "device" && node.device.readonly) throw new FileProblem("Operation not permitted");
}

/** Whole disks without a look at what is on them, which changes with every write. */
function placeOf(view: View, at: string): Pick<BlockDevice, "disk" | "offset" | "bytes"> {
  const disk = view.server.disks.find(({ device }) => at === `/dev/${device}`);
  if (disk) return { disk, offset: 0, bytes: disk.bytes };
  const node = nodeAt(view, at);
  if (node?.is !== "device") throw new FileProblem("No such device or address");
  return node.device;
}

export function readDevice(host: Host, at: string, offset: number, length: number): Buffer {
  return host.look((view) => {
    const { disk, offset: start, bytes } = placeOf(view, at);
    const wanted = Math.max(0, Math.min(length, bytes - offset));
    return disk ? readDisk(disk, start + offset, wanted) : Buffer.alloc(wanted);
  });
}

/** How many had room. */
export function writeDevice(host: Host, at: string, offset: number, bytes: Buffer): number {
  return host.look((view) => {
    const { disk, offset: start, bytes: size } = placeOf(view, at);
    if (!disk) throw new FileProblem("No such device or address");
    const room = bytes.subarray(0, Math.max(0, size - offset));
    const written = writeDisk(disk, start + offset, room);
    host.wrote(written);
    return written;
  });
}

import { gzipSync } from "node:zlib";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { packTar } from "@talosmith/lib/tar/pack.ts";
import { ContainerDriver } from "@talosmith/wire/gen/common/common_pb.js";
import {
  type CopyRequest,
  type DiskUsageRequest,
  type DmesgRequest,
  ListRequest_Type as FileType,
  type ListRequest,
  type LogsRequest,
  type ReadRequest,
} from "@talosmith/wire/gen/machine/machine_pb.js";
import type { Lab } from "../../kernel/kernel.ts";
import { changeOrMoment } from "../bell.ts";
import { containersOf } from "../inside/containers.ts";
import { type Entry, entriesOf } from "../inside/files.ts";
import type { Boot } from "../state.ts";
import { type Called, type Caller, callerOf, looking } from "./caller.ts";

const isFolder = ({ text, link }: Entry) => text === undefined && link === undefined;
const sizeOf = ({ text = "", link = "" }: Entry) => Buffer.byteLength(text) + Buffer.byteLength(link);

/** Go's file type bits, combined with Unix permission bits. */
const FOLDER = 0x8000_0000;
const MODES = { folder: FOLDER + 0o755, virtual: FOLDER + 0o555, link: 0x0800_0000 + 0o777, file: 0o444 };

/** An entry and everything below it; the root comes first. */
function below(context: HandlerContext, root: string): Entry[] {
  const all = looking(callerOf(context), entriesOf);
  return all.filter(({ path }) => path === root || path.startsWith(root === "/" ? "/" : `${root}/`));
}

/** Normalizes "var/log/" to "/var/log". */
function absolute(path: string): string {
  return `/${path.replaceAll(/^\/+|\/+$/g, "")}`;
}

const depthOf = (root: string, path: string) => relative(root, path).split("/").length - (path === root ? 1 : 0);

function relative(root: string, path: string): string {
  if (path === root) return path === "/" ? "." : (path.split("/").at(-1) ?? "");
  return path.slice(root === "/" ? 1 : root.length + 1);
}

export async function* read({ path }: ReadRequest, context: HandlerContext) {
  const entry = looking(callerOf(context), entriesOf).find((one) => one.path === path);
  if (!entry) throw new ConnectError(`stat ${path}: no such file or directory`, Code.NotFound);
  if (entry.text === undefined) throw new ConnectError("path must be a regular file", Code.Unknown);
  yield { bytes: Buffer.from(entry.text) };
}

export async function* list({ root, recurse, recursionDepth, types }: ListRequest, context: HandlerContext) {
  const from = absolute(root);
  const deepest = !recurse ? 1 : recursionDepth <= 0 ? Number.POSITIVE_INFINITY : recursionDepth;
  const entries = below(context, from);
  if (entries.length === 0) throw new ConnectError(`lstat ${from}: no such file or directory`, Code.Unknown);
  for (const entry of entries) {
    if (depthOf(from, entry.path) > deepest || (types.length > 0 && !types.includes(typeOf(entry)))) continue;
    yield {
      name: entry.path,
      relativeName: entry.path === from ? "." : relative(from, entry.path),
      isDir: isFolder(entry),
      size: BigInt(sizeOf(entry)),
      mode: modeOf(entry),
      modified: BigInt(Math.floor(entry.modified / 1000)),
      link: entry.link ?? "",
    };
  }
}

function modeOf(entry: Entry): number {
  if (entry.link !== undefined) return MODES.link;
  if (!isFolder(entry)) return MODES.file;
  return ["/proc", "/sys"].includes(entry.path) ? MODES.virtual : MODES.folder;
}

function typeOf(entry: Entry): FileType {
  return entry.link !== undefined ? FileType.SYMLINK : isFolder(entry) ? FileType.DIRECTORY : FileType.REGULAR;
}

/** Streams sizes in the order of a walk: the content of a folder before the folder, whose size includes all of it. */
export async function* diskUsage({ paths, recursionDepth, all, threshold }: DiskUsageRequest, context: HandlerContext) {
  for (const root of paths.map(absolute)) {
    const entries = below(context, root);
    if (entries.length === 0) yield { name: root, relativeName: root, error: `lstat ${root}: no such file or directory` };
    for (const entry of childrenFirst(entries)) {
      const inside = entries.filter(({ path }) => path.startsWith(entry.path === "/" ? "/" : `${entry.path}/`));
      const size = [entry, ...inside].reduce((sum, one) => sum + sizeOf(one), 0);
      const tooDeep = recursionDepth > 0 && depthOf(root, entry.path) >= recursionDepth;
      const wrongSize = threshold > 0n ? size < threshold : threshold < 0n && size > -threshold;
      if (tooDeep || wrongSize || (!all && !isFolder(entry))) continue;
      const shown = entry.path === root && isFolder(entry) ? "." : relative(root, entry.path);
      yield { name: entry.path, relativeName: shown, size: BigInt(size) };
    }
  }
}

/** Sorted by name, but each folder after its content. */
function childrenFirst(entries: readonly Entry[]): Entry[] {
  const key = ({ path }: Entry) => `${path.replace(/^\/$/, "").replaceAll("/", "\u0000")}\u0000\uffff`;
  return [...entries].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Streams a gzipped tar, without the root itself unless it is a file. A missing path is reported in a message, not in the status. */
export async function* copy({ rootPath }: CopyRequest, context: HandlerContext) {
  if (!rootPath.startsWith("/")) throw new ConnectError(`path is not absolute ${rootPath}`, Code.Unknown);
  const root = absolute(rootPath);
  const entries = below(context, root).filter((entry) => entry.path !== root || !isFolder(entry));
  if (entries.length === 0 && below(context, root).length === 0) {
    yield { metadata: { error: `lstat ${root}: no such file or directory` } };
    return;
  }
  const parts: Uint8Array[] = [];
  const packed = entries.map((entry) => ({
    name: relative(root, entry.path),
    mode: entry.link !== undefined ? 0o777 : isFolder(entry) ? 0o755 : 0o444,
    modifiedMs: entry.modified,
    ...(entry.link !== undefined && { link: entry.link }),
    ...(entry.text !== undefined && { content: { size: sizeOf(entry), open: () => textOf(entry) } }),
  }));
  for await (const part of packTar(packed)) parts.push(part);
  yield { bytes: gzipSync(Buffer.concat(parts)) };
}

async function* textOf({ text = "" }: Entry): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Streams the kernel log: one line per message, with the time of day in place of the seconds since boot. */
export async function* dmesg({ follow, tail }: DmesgRequest, context: HandlerContext) {
  const lines = (caller: Caller) => looking(caller, ({ boot, lab }) => boot.kernelLog.map((line) => timed(line, lab, boot)));
  for await (const line of following(callerOf(context), context.signal, lines, tail ? 0 : -1, follow)) {
    yield { bytes: Buffer.from(`${line}\n`) };
  }
}

function timed(line: string, lab: Lab, { since }: Boot): string {
  const [, facility, priority = "", seconds, text] = /^(\w+): +(\w+): \[ *([\d.]+)\]: (.*)$/.exec(line) ?? [];
  if (facility === undefined) return line;
  const time = new Date(lab.timeOfDay(since + Number(seconds) * 1000)).toISOString().replace(/\.?0*Z$/, "Z");
  return `${facility}: ${priority.padStart(7)}: [${time}]: ${text}`;
}

/** Logs besides those of services. */
const LOGS = ["controller-runtime", "dns-resolve-cache", "kernel"];

/** Logs of services: their state changes, as at the beginning of a real log. Logs of containers in pods: those in Kubernetes. */
export async function* logs({ namespace, id, driver, follow, tailLines }: LogsRequest, context: HandlerContext) {
  const caller = callerOf(context);
  if (namespace === "") throw new ConnectError("namespace can't be empty", Code.InvalidArgument);
  const inPods = driver === ContainerDriver.CRI || namespace !== "system";
  if (looking(caller, (called) => linesOf(called, inPods, id)) === undefined)
    throw new ConnectError(inPods ? `container "${id}" not found` : `log "${id}" was not registered`, Code.Unknown);
  const lines = (one: Caller) => looking(one, (called) => linesOf(called, inPods, id) ?? []);
  for await (const line of following(caller, context.signal, lines, tailLines, follow)) yield { bytes: Buffer.from(`${line}\n`) };
}

function linesOf(called: Called, inPods: boolean, id: string): readonly string[] | undefined {
  const { boot, lab } = called;
  const said = (at: number, text: string) => `${new Date(lab.timeOfDay(at)).toISOString()} ${text}`;
  if (inPods && id !== "kubelet") {
    // The restart number is optional.
    const container = containersOf(called).find((one) => one.home === "k8s.io" && (one.id === id || one.id.startsWith(`${id}:`)));
    return container && (container.log ?? []).map(({ at, text }) => said(at, text));
  }
  if (id === "kernel") return boot.kernelLog;
  if (LOGS.includes(id)) return [];
  return boot.services[id]?.events.map(({ at, message }) => said(at, message));
}

async function* following(
  caller: Caller,
  signal: AbortSignal,
  lines: (caller: Caller) => readonly string[],
  tail: number,
  follow: boolean,
): AsyncGenerator<string> {
  let seen = tail < 0 ? 0 : Math.max(0, lines(caller).length - tail);
  for (;;) {
    const all = lines(caller);
    for (const line of all.slice(seen)) yield line;
    seen = all.length;
    if (!follow || signal.aborted || caller.lab.closing.aborted) return;
    await changeOrMoment(caller.lab, signal);
    if (signal.aborted || caller.lab.closing.aborted) return;
  }
}

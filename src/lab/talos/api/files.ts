import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import type { DmesgRequest, ListRequest, LogsRequest, ReadRequest } from "../../../../gen/machine/machine_pb.js";
import { changeOrMoment } from "../bell.ts";
import { loadedModules, nvidiaDriver } from "../machine/modules.ts";
import { talosState } from "../state.ts";
import { releaseOf } from "../versions.ts";
import { type Called, type Caller, callerOf, looking } from "./caller.ts";

/** The few files of a node that somebody reads. */
function filesOf({ lab, machine, boot }: Called): Record<string, string> {
  const data = boot.disk === undefined ? undefined : talosState(lab).disks[boot.disk]?.etcd;
  return {
    // On the partition EPHEMERAL: there as soon as the node has booted, whether or not etcd runs already.
    ...(data !== undefined && { "/var/lib/etcd/member/snap/db": "" }),
    "/proc/sys/kernel/random/boot_id": `${boot.id}\n`,
    "/proc/version": `Linux version ${releaseOf(boot.system.version).kernel}\n`,
    "/etc/os-release": `NAME="Talos"\nID=talos\nVERSION_ID=${boot.system.version}\nPRETTY_NAME="Talos (${boot.system.version})"\n`,
    "/proc/modules": loadedModules(lab, machine, boot)
      .map(({ name, needs }) => `${name} 24576 0 ${needs.length === 0 ? "-" : `${needs.join(",")},`} Live 0x0000000000000000\n`)
      .join(""),
    ...nvidiaFiles(nvidiaDriver(lab, machine, boot)),
    "/proc/cpuinfo": Array.from({ length: machine.hardware.cores }, (_, n) => `processor\t: ${n}\n`).join(""),
  };
}

/** There once the driver has found a card. */
function nvidiaFiles(branch: string | undefined): Record<string, string> {
  if (branch === undefined) return {};
  const version = branch === "lts" ? "580.126.20" : "570.211.01";
  return { "/proc/driver/nvidia/version": `NVRM version: NVIDIA UNIX x86_64 Kernel Module  ${version}  Release Build\n` };
}

export async function* read({ path }: ReadRequest, context: HandlerContext) {
  const text = looking(callerOf(context), (called) => filesOf(called)[path]);
  if (text === undefined) {
    const isFolder = looking(callerOf(context), (called) =>
      Object.keys(filesOf(called)).some((one) => one.startsWith(`${path}/`)),
    );
    if (isFolder) throw new ConnectError("path must be a regular file", Code.Unknown);
    throw new ConnectError(`stat ${path}: no such file or directory`, Code.NotFound);
  }
  yield { bytes: Buffer.from(text) };
}

export async function* list({ root }: ListRequest, context: HandlerContext) {
  const folder = root === "" || root === "/" ? "/" : `${root.replace(/\/+$/, "")}/`;
  const { files, modified } = looking(callerOf(context), (called) => ({
    files: filesOf(called),
    modified: BigInt(Math.floor(called.boot.since / 1000)),
  }));
  const inside = Object.entries(files).filter(([path]) => path.startsWith(folder));
  if (inside.length === 0) throw new ConnectError(`lstat ${root}: no such file or directory`, Code.Unknown);
  const names = new Set(inside.map(([path]) => path.slice(folder.length).split("/")[0] ?? ""));
  yield { name: folder, relativeName: ".", isDir: true, mode: 0o40755, modified };
  for (const name of names) {
    const text = files[folder + name];
    const isDir = text === undefined;
    yield {
      name: folder + name,
      relativeName: name,
      isDir,
      size: BigInt(text?.length ?? 0),
      mode: isDir ? 0o40755 : 0o100444,
      modified,
    };
  }
}

/** Each message is one line, with the time of day instead of the seconds since the boot. */
export async function* dmesg({ follow, tail }: DmesgRequest, context: HandlerContext) {
  const lines = (caller: Caller) => looking(caller, ({ boot }) => boot.kernelLog.map((line) => timed(line, boot.since)));
  for await (const line of following(callerOf(context), context.signal, lines, tail ? 0 : -1, follow)) {
    yield { bytes: Buffer.from(`${line}\n`) };
  }
}

function timed(line: string, since: number): string {
  const [, facility, priority = "", seconds, text] = /^(\w+): +(\w+): \[ *([\d.]+)\]: (.*)$/.exec(line) ?? [];
  if (facility === undefined) return line;
  const time = new Date(since + Number(seconds) * 1000).toISOString().replace(/\.?0*Z$/, "Z");
  return `${facility}: ${priority.padStart(7)}: [${time}]: ${text}`;
}

/** What a service said about itself: its own events, as its log would begin. */
export async function* logs({ namespace, id, follow, tailLines }: LogsRequest, context: HandlerContext) {
  const caller = callerOf(context);
  if (namespace === "") throw new ConnectError("namespace can't be empty", Code.InvalidArgument);
  const known = looking(
    caller,
    ({ boot }) => (namespace === "system" || id === "kubelet") && (id in boot.services || id === "kernel"),
  );
  if (!known)
    throw new ConnectError(
      namespace === "system" ? `log "${id}" was not registered` : `container "${id}" not found`,
      Code.Unknown,
    );
  const lines = (one: Caller) =>
    looking(one, ({ boot }) =>
      id === "kernel"
        ? boot.kernelLog
        : (boot.services[id]?.events ?? []).map(({ at, message }) => `${new Date(at).toISOString()} ${message}`),
    );
  for await (const line of following(caller, context.signal, lines, tailLines, follow)) yield { bytes: Buffer.from(`${line}\n`) };
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

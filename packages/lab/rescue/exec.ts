import { setMaxListeners } from "node:events";
import type { ServerChannel } from "ssh2";
import { dripping } from "../kernel/drip.ts";
import type { Fault, Lab } from "../kernel/kernel.ts";
import { BASH, DASH } from "../shell/dialect.ts";
import { freshOwn } from "../shell/own.ts";
import type { Descriptors, Ground } from "../shell/process.ts";
import { Shell } from "../shell/shell.ts";
import { BrokenPipe, counted, Killed, type OpenFile, unreadable, unwritable } from "../shell/streams.ts";
import { exitCode } from "../ssh/exec.ts";
import { programNamed } from "./programs/programs.ts";
import { changed } from "./reading.ts";
import { SERVICE, serverNamed } from "./state.ts";
import { isLink, kindAt, matching, openFile } from "./system/files.ts";
import { type Host, hostOf } from "./system/host.ts";

export interface Asked {
  server: string;
  command: string;
  /** $SSH_CONNECTION */
  client: string;
}

/** A session that runs one command, past the recorder and the faults like every other call. */
export function execute(lab: Lab, asked: Asked, channel: ServerChannel, cut: () => void): void {
  channel.on("error", () => {});
  run(lab, asked, channel, cut).catch(() => cut());
}

async function run(lab: Lab, asked: Asked, channel: ServerChannel, cut: () => void): Promise<void> {
  const { server, command } = asked;
  const { entry, fault } = lab.turn(() => {
    const { mutating, word } = changed(command);
    const call = { service: SERVICE, site: "exec", resource: `${server}: ${word}`, mutating, command };
    const entry = lab.recorder.begin(call);
    const fault = lab.fault(call);
    if (fault) entry.fault = fault.kind;
    return { entry, fault };
  });
  if (fault?.kind === "cut-before") return cut();
  if (fault?.kind === "delay") await lab.sleep(fault.ms);
  const limit = cutAfter(fault);
  if (limit === undefined && (fault?.kind === "refuse" || fault?.kind === "task-error")) {
    channel.stderr.write(`${fault.message}\n`);
    entry.status = exitCode(fault);
    channel.exit(entry.status);
    return void channel.end();
  }
  const host = limitedTo(hostOf(lab, server), limit, cut);
  const size = fault?.kind === "drip" ? fault.bytes : undefined;
  const files = new Map([
    [0, incoming(channel)],
    [1, outgoing(channel, (bytes) => channel.write(bytes), size)],
    [2, outgoing(channel, (bytes) => channel.stderr.write(bytes), size)],
  ]);
  const code = await loginShell(host, files, asked.client).run(command);
  // A server that is off by now does not answer.
  const isOver = host.alive.aborted || lab.turn(() => !serverNamed(lab, server)?.linux);
  if (fault?.kind === "cut-after" || isOver) return cut();
  entry.status = code;
  channel.exit(code);
  channel.end();
}

/** The shell that sshd starts for root. */
export function loginShell(host: Host, files: Descriptors, client: string): Shell {
  const environment = new Map([
    ["HOME", "/root"],
    ["USER", "root"],
    ["LOGNAME", "root"],
    ["SHELL", "/bin/bash"],
    ["PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
    ["SSH_CONNECTION", client],
    ["SSH_CLIENT", client.split(" ").slice(0, 2).join(" ")],
  ]);
  return new Shell(groundOf(host), freshOwn(environment, BASH, "/root"), files, host.alive);
}

function groundOf(host: Host): Ground {
  const program = (name: string) =>
    programNamed(
      name,
      host.look(({ server }) => (server.runs === "system" ? "debian" : server.tools)),
    );
  return {
    alive: host.alive,
    open: (path, how) => openFile(host, path, how),
    kind: (path) => host.look((view) => kindAt(view, path)),
    isLink: (path) => host.look((view) => isLink(view, path)),
    paths: (pattern, folder) => host.look((view) => matching(view, pattern, folder)),
    has: (name) => program(name) !== undefined,
    start: async (name, process) => (await program(name)?.({ ...process, host })) ?? 127,
    dialect: (shell) => (shell.endsWith("bash") ? BASH : DASH),
    sleep: (ms, alive) => host.lab.sleep(ms, alive),
  };
}

/** "cut after 40000 bytes": only so many bytes get to the disks, then the connection is lost with all that ran in it. */
function cutAfter(fault: Fault | undefined): number | undefined {
  const [, bytes] = fault?.kind === "task-error" ? (/^cut after (\d+) bytes$/.exec(fault.message) ?? []) : [];
  return bytes === undefined ? undefined : Number(bytes);
}

function limitedTo(host: Host, limit: number | undefined, cut: () => void): Host {
  if (limit === undefined) return host;
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  host.alive.addEventListener("abort", () => over.abort(), { once: true });
  let left = limit;
  return {
    ...host,
    alive: over.signal,
    look: (work) => {
      if (over.signal.aborted) throw new Killed();
      return host.look(work);
    },
    wrote: (bytes) => {
      left -= bytes;
      if (left > 0) return;
      over.abort();
      cut();
    },
  };
}

function incoming(channel: ServerChannel): OpenFile {
  let held: Buffer | undefined;
  let ended = false;
  channel.once("end", () => {
    ended = true;
  });
  channel.once("close", () => {
    ended = true;
  });
  const read = async (): Promise<Buffer> => {
    for (;;) {
      const found = held ?? (channel.read() as Buffer | null);
      held = undefined;
      if (found && found.length > 0) return found;
      if (ended || channel.destroyed) return Buffer.alloc(0);
      await new Promise<void>((go) => {
        const on = () => {
          for (const event of ["readable", "end", "close"]) channel.off(event, on);
          go();
        };
        for (const event of ["readable", "end", "close"]) channel.once(event, on);
      });
    }
  };
  const unread = (bytes: Buffer) => {
    held = held ? Buffer.concat([bytes, held]) : bytes;
  };
  return counted({ read, unread, write: unwritable }, () => {});
}

/** `size`: of the small pieces in which a fault makes it leave. */
function outgoing(channel: ServerChannel, send: (bytes: Uint8Array) => boolean, size?: number): OpenFile {
  const drip = size === undefined ? undefined : dripping(send, size);
  let isClosed = false;
  channel.once("close", () => {
    isClosed = true;
  });
  const write = async (bytes: Buffer) => {
    if (isClosed || channel.destroyed) throw new BrokenPipe();
    if (drip) return drip(bytes);
    if (bytes.length === 0 || send(bytes)) return;
    await new Promise<void>((go) => {
      const on = () => {
        for (const event of ["drain", "close"]) channel.off(event, on);
        channel.stderr.off("drain", on);
        go();
      };
      for (const event of ["drain", "close"]) channel.once(event, on);
      channel.stderr.once("drain", on);
    });
  };
  return counted({ read: unreadable, unread: () => {}, write }, () => {});
}

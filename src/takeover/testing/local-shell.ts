import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Shell } from "../shell.ts";
import { RESTART } from "../write/commands.ts";

export interface LocalShell extends Shell {
  /** Every command line, in order. */
  readonly ran: string[];
}

export interface LocalShellOptions {
  /** Only programs of this folder are found. */
  path?: string;
  /** Called before a command is run; throws in its stead. */
  before?(command: string): void;
}

/** A shell on this computer without SSH: files are its disks, and nothing is restarted. */
export function localShell({ path, before }: LocalShellOptions = {}): LocalShell {
  const ran: string[] = [];
  const start = (command: string, signal?: AbortSignal) => {
    ran.push(command);
    before?.(command);
    // A process group of its own, as under sshd, so that the next command can kill leftover processes.
    const child = spawn("/bin/sh", ["-c", command === RESTART ? "true" : command], {
      detached: true,
      ...(path !== undefined && { env: { PATH: path } }),
      ...(signal && { signal }),
    });
    child.stdin.on("error", () => {});
    let stderr = "";
    child.stderr.on("data", (part: Buffer) => {
      stderr += part;
    });
    const ended = new Promise<{ code: number; stderr: string }>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => resolve({ code: code ?? -1, stderr }));
    });
    ended.catch(() => {});
    return { child, ended };
  };
  return {
    ran,
    target: { host: "local", port: 22, user: "root" },
    run: async (command, { stdin = "", signal } = {}) => {
      const { child, ended } = start(command, signal);
      let stdout = "";
      child.stdout.on("data", (part: Buffer) => {
        stdout += part;
      });
      child.stdin.end(stdin);
      return { ...(await ended), stdout };
    },
    feed: async (command, source, { line, signal }) => {
      const { child, ended } = start(command, signal);
      let text = "";
      child.stdout.on("data", (part: Buffer) => {
        const lines = (text + part).split("\n");
        text = lines.pop() ?? "";
        for (const one of lines) line?.(one);
      });
      await pour(child, source);
      return ended;
    },
    fetch: async (command, take, signal) => {
      const { child, ended } = start(command, signal);
      child.stdout.on("data", take);
      child.stdin.end();
      return ended;
    },
    hostKey: () => "SHA256:local",
    close: () => {},
  };
}

async function pour({ stdin }: ChildProcessWithoutNullStreams, source: AsyncIterable<Uint8Array>): Promise<void> {
  let wake = () => {};
  for (const event of ["drain", "close"]) stdin.on(event, () => wake());
  try {
    for await (const part of source) {
      if (stdin.destroyed) return;
      if (stdin.write(part)) continue;
      await new Promise<void>((taken) => {
        wake = taken;
        if (stdin.destroyed) taken();
      });
    }
    stdin.end();
  } catch (error) {
    stdin.destroy();
    throw error;
  }
}

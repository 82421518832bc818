import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import type { Processes, ProcessIdentity } from "./world.ts";

function readOrEmpty(path: string): string {
  try {
    return fs.readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** State and following fields of a process; the command name before them, in brackets, may hold blanks and brackets itself. */
function statOf(pid: number): string[] {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Clock ticks since boot at which the process started; with the boot id, a pid that was given out again is told apart. */
function startOf(pid: number): string {
  return statOf(pid)[19] ?? "";
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

const bootId = () => readOrEmpty("/proc/sys/kernel/random/boot_id").trim();

function state(of: ProcessIdentity): "alive" | "dead" | "elsewhere" {
  if (of.host !== os.hostname()) return "elsewhere";
  if (of.bootId !== bootId() || !exists(of.pid)) return "dead";
  // A zombie has ended; only nobody has asked how.
  return startOf(of.pid) === of.startedAt && statOf(of.pid)[0] !== "Z" ? "alive" : "dead";
}

function identify(pid: number): ProcessIdentity {
  return { pid, startedAt: startOf(pid), bootId: bootId(), host: os.hostname() };
}

export const realProcesses: Processes = {
  self: () => identify(process.pid),
  state,
  spawnSelf(args, logFile) {
    const log = fs.openSync(logFile, "a", 0o600);
    try {
      const program = process.argv[1] ?? "";
      const child = spawn(process.execPath, [program, ...args], { detached: true, stdio: ["ignore", log, log] });
      child.unref();
      return identify(child.pid ?? 0);
    } finally {
      fs.closeSync(log);
    }
  },
  end(of, how) {
    if (state(of) === "alive") process.kill(of.pid, how === "ask" ? "SIGTERM" : "SIGKILL");
  },
};

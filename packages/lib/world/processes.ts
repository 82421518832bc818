import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import { processState } from "./process-state.ts";
import type { Processes, ProcessIdentity } from "./world.ts";

function readOrEmpty(read: () => string): string {
  try {
    return read().trim();
  } catch {
    return "";
  }
}

const text = (path: string) => readOrEmpty(() => fs.readFileSync(path, "utf8"));
const link = (path: string) => readOrEmpty(() => fs.readlinkSync(path));

/** /proc of another pid namespace lists other processes under the same numbers. */
const procIsOurs = () => link("/proc/self") === String(process.pid);

/**
 * Clock ticks since boot at which the process started; with the boot id, this detects a reused pid. The command name before the fields, in
 * brackets, may itself contain blanks and brackets.
 */
function startOf(pid: number): string {
  const stat = procIsOurs() ? text(`/proc/${pid}/stat`) : "";
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // A zombie has ended, although it is still listed.
  return fields[0] === "Z" ? "ended" : (fields[19] ?? "");
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The initial namespace has the same number in every kernel. */
const FIRST_NAMESPACE = "pid:[4026531836]";

/** Empty in a container, whose machine id may come from its image and be shared by many. */
function machineIdIn(pidNamespace: string): string {
  const id = pidNamespace === FIRST_NAMESPACE ? text("/etc/machine-id") : "";
  return /^[0-9a-f]{32}$/.test(id) ? id : "";
}

function identify(pid: number): ProcessIdentity {
  const bootId = text("/proc/sys/kernel/random/boot_id");
  const pidNamespace = link("/proc/self/ns/pid");
  return { pid, startedAt: startOf(pid), bootId, pidNamespace, machineId: machineIdIn(pidNamespace), host: os.hostname() };
}

const state = (of: ProcessIdentity) => processState(of, identify(process.pid), { exists, startOf });

export const realProcesses: Processes = {
  self: () => identify(process.pid),
  state,
  spawnSelf(args, logFile) {
    const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = fs.constants;
    const log = fs.openSync(logFile, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
    try {
      const program = String(process.argv[1]);
      // A single binary is its own program.
      const script = program === process.execPath ? [] : [program];
      const child = spawn(process.execPath, [...script, ...args], { detached: true, stdio: ["ignore", log, log] });
      child.unref();
      // Not a number when it did not start: 0 would name our own process group.
      return identify(Number(child.pid));
    } finally {
      fs.closeSync(log);
    }
  },
  end(of, how) {
    if (state(of) === "alive") process.kill(of.pid, how === "ask" ? "SIGTERM" : "SIGKILL");
  },
};

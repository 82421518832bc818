import type { ProcessIdentity, ProcessState } from "./world.ts";

/** What can be seen of other processes of the same pid namespace. */
interface ProcessLook {
  exists(pid: number): boolean;
  /** When it was started; "" when that is hidden, "ended" for a zombie. */
  startOf(pid: number): string;
}

/** Judges from a process whether another one lives: dead only when that is proven. */
export function processState(of: ProcessIdentity, self: ProcessIdentity, look: ProcessLook): ProcessState {
  if (sameBoot(of, self)) {
    // The number of a process says nothing in another namespace.
    if (of.pidNamespace !== self.pidNamespace || (of.bootId !== "" && of.pidNamespace === "")) return "unknown";
    if (!look.exists(of.pid)) return "dead";
    const start = look.startOf(of.pid);
    return start === "" || start === of.startedAt ? "alive" : "dead";
  }
  return restartedSince(of, self) ? "dead" : "unknown";
}

/** Where no kernel tells its boot (macOS), the host's name has to do. */
function sameBoot(of: ProcessIdentity, self: ProcessIdentity): boolean {
  return of.bootId === self.bootId && (of.bootId !== "" || of.host === self.host);
}

/** Copies of a virtual machine can have the same machine id: then at least their names differ. */
function restartedSince(of: ProcessIdentity, self: ProcessIdentity): boolean {
  const known = of.machineId !== "" && of.bootId !== "" && self.bootId !== "";
  return known && of.machineId === self.machineId && of.host === self.host;
}

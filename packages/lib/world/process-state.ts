import type { ProcessIdentity, ProcessState } from "./world.ts";

/** Facts about other processes of the same pid namespace. */
interface ProcessLook {
  exists(pid: number): boolean;
  /** Start time; "" when it is hidden, "ended" for a zombie. */
  startOf(pid: number): string;
}

/** Judges whether another process is alive: dead only when that is proven. */
export function processState(of: ProcessIdentity, self: ProcessIdentity, look: ProcessLook): ProcessState {
  if (sameBoot(of, self)) {
    // A pid means nothing in another namespace.
    if (of.pidNamespace !== self.pidNamespace || (of.bootId !== "" && of.pidNamespace === "")) return "unknown";
    if (!look.exists(of.pid)) return "dead";
    const start = look.startOf(of.pid);
    return start === "" || start === of.startedAt ? "alive" : "dead";
  }
  return restartedSince(of, self) ? "dead" : "unknown";
}

/** Where the kernel has no boot id (macOS), the host name is compared instead. */
function sameBoot(of: ProcessIdentity, self: ProcessIdentity): boolean {
  return of.bootId === self.bootId && (of.bootId !== "" || of.host === self.host);
}

/** Copies of a virtual machine can have the same machine id; their host names must then differ. */
function restartedSince(of: ProcessIdentity, self: ProcessIdentity): boolean {
  const known = of.machineId !== "" && of.bootId !== "" && self.bootId !== "";
  return known && of.machineId === self.machineId && of.host === self.host;
}

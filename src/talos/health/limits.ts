import type { Finding } from "../../engine/step.ts";
import { memberOf } from "../api/spec.ts";
import type { Resource } from "../api/talos-node.ts";
import { type Asked, type AskedNode, judged } from "./asked.ts";

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** Talos's minimum less the kernel's reserve (its pkg/minimal). */
const MEMORY_MIN: Record<AskedNode["role"], number> = { controlplane: (1848 - 150) * MIB, worker: (1024 - 150) * MIB };
/** A disk of 6 GiB less the EFI, STATE and META partitions and the partition table. */
const EPHEMERAL_MIN = 6 * GIB - (2101 + 100 + 1 + 10) * MIB;

export const EPHEMERAL = { namespace: "runtime", type: "VolumeStatuses.block.talos.dev", id: "EPHEMERAL" };

/** Talos' check 5. A container has its host's memory. */
export function tooLittleMemory(asked: readonly Asked<{ said: number; mode: string }>[]): Finding[] {
  return judged(asked, ({ said: bytes, mode }, { name, role }) => {
    const least = MEMORY_MIN[role];
    if (mode === "container" || bytes >= least) return [];
    const message = `${name}: ${Math.floor(bytes / MIB)} MiB of memory; Talos needs ${least / MIB} MiB on a ${wordOf(role)}`;
    return [{ level: "fail", code: "MEMORY", message, hint: "give the machine more memory" }];
  });
}

/** Talos' check 6. A container has its host's disk, and no EPHEMERAL of its own. */
export function tooSmallDisks(asked: readonly Asked<{ said: Resource | undefined; mode: string }>[]): Finding[] {
  return judged(asked, ({ said: volume, mode }, { name }) => {
    const size = Number(memberOf(volume?.spec, "size") ?? 0);
    if (mode === "container" || size >= EPHEMERAL_MIN) return [];
    const seen = volume ? `${Math.floor(size / MIB)} MiB` : "no space yet";
    const message = `${name}: ${seen} for the volume EPHEMERAL; Talos needs ${EPHEMERAL_MIN / MIB} MiB`;
    return [{ level: "fail", code: "DISK", message, hint: "give the machine a larger disk: 10 GiB at least" }];
  });
}

function wordOf(role: AskedNode["role"]): string {
  return role === "worker" ? "worker" : "control plane";
}

/** The tolerated difference: certificates, etcd's leases and tokens depend on clocks. */
const OFF_MS = 60_000;

/** A node's clock, and the clock of this computer before and after the call. */
interface ClockRead {
  local: number;
  before: number;
  after: number;
}

/** The minimal difference of a clock: the duration of the call counts in its favour. */
function offBy({ local, before, after }: ClockRead): number {
  if (local > after) return local - after;
  return local < before ? local - before : 0;
}

/** Checks that the nodes' clocks agree with this computer's. A node without a reachable time server uses its own clock. */
export function wrongClocks(asked: readonly Asked<ClockRead>[]): Finding[] {
  return judged(asked, (read, { name }) => {
    const off = Math.round(offBy(read) / 1000);
    if (Math.abs(off) * 1000 <= OFF_MS) return [];
    const message = `${name}: its clock is ${Math.abs(off)} s ${off > 0 ? "ahead of" : "behind"} this computer's`;
    const hint = "look at the clock of this computer first, then at network.timeServers: nodes must reach one of them";
    return [{ level: "fail", code: "CLOCK", message, hint }];
  }).map((finding) => (finding.code !== "CLOCK" && /\b[NP]TP\b/.test(finding.message) ? noTimeServer(finding) : finding));
}

/** The node queries a time server, so a silent time server looks like a silent node. */
function noTimeServer({ message }: Finding): Finding {
  const hint = "its clock is not synchronised; set network.timeServers to a server that it can reach";
  return { level: "warn", code: "TIME_SERVER", message, hint };
}

import type { Finding } from "../../engine/step.ts";
import { type Asked, judged } from "./asked.ts";

/** Certificates, etcd's leases and tokens bear less than people do. */
const OFF_MS = 60_000;

/** A node's clock, and ours around the moment it was read. */
export interface ClockRead {
  local: number;
  before: number;
  after: number;
}

/** How far a clock is off at least: whatever the call took is in its favour. */
function offBy({ local, before, after }: ClockRead): number {
  if (local > after) return local - after;
  return local < before ? local - before : 0;
}

/** Nodes and we agree on the time. A node that cannot reach a time server has its own, for as long as that goes well. */
export function wrongClocks(asked: readonly Asked<ClockRead>[]): Finding[] {
  return judged(asked, (read, { name }) => {
    const off = Math.round(offBy(read) / 1000);
    if (Math.abs(off) * 1000 <= OFF_MS) return [];
    const message = `${name}: its clock is ${Math.abs(off)} s ${off > 0 ? "ahead of" : "behind"} this computer's`;
    const hint = "look at the clock of this computer first, then at network.timeServers: nodes must reach one of them";
    return [{ level: "fail", code: "CLOCK", message, hint }];
  }).map((finding) => (finding.code !== "CLOCK" && /\b[NP]TP\b/.test(finding.message) ? noTimeServer(finding) : finding));
}

/** Time is asked of a server by the node, so that its silence looks like the node's. */
function noTimeServer({ message }: Finding): Finding {
  const hint = "its clock is not synchronised; set network.timeServers to a server that it can reach";
  return { level: "warn", code: "TIME_SERVER", message, hint };
}

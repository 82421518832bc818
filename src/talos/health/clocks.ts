import type { Finding } from "../../engine/step.ts";
import { type Asked, judged } from "./asked.ts";

/** The tolerated difference: certificates, etcd's leases and tokens depend on clocks. */
const OFF_MS = 60_000;

/** A node's clock, and the clock of this computer before and after the call. */
export interface ClockRead {
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

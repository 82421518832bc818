import { createHash } from "node:crypto";
import type { FaultRule, Recorded } from "@talosmith/lab/kernel/kernel.ts";

/** A place in a run at which a call is made. */
export interface CallSite {
  /** "proxmox POST /nodes/:node/qemu"; for shell commands "rescue exec dd 3f2a9c", a word of the command and its hash. */
  name: string;
  /** The first call there. */
  call: Recorded;
  /** The rule that makes that call fail, in a run that is the same up to there. */
  rule: Pick<FaultRule, "service" | "site" | "command" | "occurrence">;
}

/** One call site for each path of an API and each command line. */
export function callSites(calls: readonly Recorded[]): CallSite[] {
  const sites = new Map<string, CallSite>();
  for (const call of calls) if (!sites.has(keyOf(call))) sites.set(keyOf(call), siteOf(call));
  return [...sites.values()];
}

function siteOf(call: Recorded): CallSite {
  const { service, site, resource, command } = call;
  if (command === undefined) return { name: `${service} ${site}`, call, rule: { service, site, occurrence: 1 } };
  const same = sameCommand(command);
  const hash = createHash("sha256").update(same).digest("hex").slice(0, 6);
  const name = `${service} ${site} ${resource.replace(/^\S+: /, "")} ${hash}`;
  return { name, call, rule: { service, site, command: same, occurrence: 1 } };
}

export const isOf = ({ call }: CallSite, other: Recorded): boolean => keyOf(call) === keyOf(other);

const keyOf = ({ service, site, command = "" }: Recorded) => `${service} ${site} ${sameCommand(command)}`;

/** Names of temporary files differ each time, and addresses in each lab. */
const sameCommand = (command: string) => command.replace(/tmp\.\w+/g, "tmp.*").replace(/\b127\.\d+\.\d+\b/g, "127.*");

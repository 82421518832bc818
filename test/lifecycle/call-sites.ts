import { createHash } from "node:crypto";
import type { FaultRule, Recorded } from "@talosmith/lab/kernel/kernel.ts";

/** A place of a run at which something is asked of somebody. */
export interface CallSite {
  /** "proxmox POST /nodes/:node/qemu"; of commands in a shell "rescue exec dd 3f2a9c", by a word of it and its hash. */
  name: string;
  /** The first call there. */
  call: Recorded;
  /** What makes that call go wrong, in a run that goes on as this one did until then. */
  rule: Pick<FaultRule, "service" | "site" | "command" | "occurrence">;
}

/** One for each thing that is asked: every path of an API, every command line. */
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

/** Names of temporary files are others each time, and addresses in each lab. */
const sameCommand = (command: string) => command.replace(/tmp\.\w+/g, "tmp.*").replace(/\b127\.\d+\.\d+\b/g, "127.*");

import type { FaultRule, Recorded } from "../../src/lab/kernel/kernel.ts";

/** A place of a run at which something is asked of somebody. */
export interface CallSite {
  /** "proxmox POST /nodes/:node/qemu"; of commands in a shell "rescue exec dd 3": the third that is about dd and is not like the others. */
  name: string;
  /** The first call there. */
  call: Recorded;
  /** What makes that call go wrong, in a run that goes on as this one did until then. */
  rule: Pick<FaultRule, "service" | "site" | "command" | "occurrence">;
}

/** One for each thing that is asked: every path of an API, every command line. */
export function callSites(calls: readonly Recorded[]): CallSite[] {
  const sites = new Map<string, CallSite>();
  const alike = new Map<string, number>();
  for (const call of calls) {
    const { service, site, resource } = call;
    const key = keyOf(call);
    if (sites.has(key)) continue;
    if (call.command === undefined) {
      sites.set(key, { name: `${service} ${site}`, call, rule: { service, site, occurrence: 1 } });
      continue;
    }
    const about = `${service} ${site} ${resource.replace(/^\S+: /, "")}`;
    alike.set(about, (alike.get(about) ?? 0) + 1);
    sites.set(key, {
      name: `${about} ${alike.get(about)}`,
      call,
      rule: { service, site, command: sameCommand(call.command), occurrence: 1 },
    });
  }
  return [...sites.values()];
}

export const isOf = ({ call }: CallSite, other: Recorded): boolean => keyOf(call) === keyOf(other);

const keyOf = ({ service, site, command = "" }: Recorded) => `${service} ${site} ${sameCommand(command)}`;

/** Names of temporary files are another each time. */
const sameCommand = (command: string) => command.replace(/tmp\.\w+/g, "tmp.*");

import type { LabBreakage } from "@talosmith/lab/host/control.ts";
import type { LabHandle } from "@talosmith/lab/host/lab-file.ts";
import type { FaultRule } from "@talosmith/lab/kernel/kernel.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { type FaultFlags, USUAL } from "./lab-fault-flags.ts";
import { isKind, outageOf, refuseNeedless, ruleOf } from "./lab-fault-rule.ts";
import { breakableTable, brokenTable, outageFacts, ruleFacts } from "./lab-fault-show.ts";
import { labFolder } from "./lab-folder.ts";
import { noLab } from "./lab-status.ts";
import type { CommandSession } from "./session.ts";

interface Asked {
  folder: string;
  what: string | undefined;
  args: readonly string[];
  flags: FaultFlags;
}

export async function breakLab(session: CommandSession, given: Asked): Promise<number> {
  const { world } = session;
  const asked = withFolder(world, given);
  const { readLab } = await import("@talosmith/lab/host/lab-file.ts");
  const client = await import("@talosmith/lab/host/client.ts");
  const lab = readLab(world, labFolder(asked.folder));
  if (!lab) throw noLab(asked.folder);
  const there = await client.labBreakage(world, lab);
  const { folder, what, args, flags } = asked;
  if (what === undefined) return show(session, there, asked);
  refuseNeedless(what, flags, args);
  if (isKind(what)) return addRule(session, lab, folder, ruleOf(what, flags, there), there);
  if (what === "clear") {
    await client.labFaults(world, lab, []);
    await client.labOutages(world, lab, []);
    notice(session, "info", "calls and addresses work again; events (a power loss, a full disk) are not undone");
    return 0;
  }
  if (what === "down") {
    const outage = outageOf(flags, there.services);
    await client.labOutages(world, lab, [...there.outages, outage]);
    session.bus.emit({ type: "result", result: outageFacts(folder, outage) });
    return 0;
  }
  await client.labStrike(world, lab, what, args);
  notice(session, "info", `${[what, ...args].join(" ")}: done`);
  return 0;
}

/** Takes a first argument that is not a folder as the thing to break, in the default environment. */
function withFolder({ files }: World, asked: Asked): Asked {
  const { folder, what, args } = asked;
  if (folder === USUAL || /[/\\.]/.test(folder) || files.stat(folder)) return asked;
  return { ...asked, folder: USUAL, what: folder, args: [...(what === undefined ? [] : [what]), ...args] };
}

function show({ bus }: CommandSession, there: LabBreakage, { folder, flags }: Asked): number {
  bus.emit({ type: "result", result: brokenTable(there, folder) });
  bus.emit({ type: "result", result: breakableTable(there, flags.service) });
  return 0;
}

async function addRule(
  session: CommandSession,
  lab: LabHandle,
  folder: string,
  rule: FaultRule,
  there: LabBreakage,
): Promise<number> {
  const { labMoreFaults } = await import("@talosmith/lab/host/client.ts");
  const { fits } = await import("@talosmith/lab/kernel/faults.ts");
  await labMoreFaults(session.world, lab, [rule]);
  const seen = Object.entries(there.sites).flatMap(([service, sites]) => (fits(rule.service, service) ? sites : []));
  if (rule.site !== undefined && !seen.some((site) => fits(rule.site, site)))
    notice(session, "warn", `no call "${rule.site}" has been made yet${alike(rule.site, seen)}`);
  session.bus.emit({ type: "result", result: ruleFacts(folder, rule) });
  return 0;
}

/** Up to three calls that share most words with the given one. */
function alike(site: string, seen: readonly string[]): string {
  const words = (text: string) =>
    new Set(
      text
        .toLowerCase()
        .split(/[^a-z0-9]+/)
        .filter(Boolean),
    );
  const wanted = words(site);
  const shared = (one: string) => [...words(one)].filter((word) => wanted.has(word)).length;
  const best = [...new Set(seen)].sort((a, b) => shared(b) - shared(a) || a.localeCompare(b)).slice(0, 3);
  return best.length === 0 ? "" : `; calls made so far: ${best.join(", ")}`;
}

function notice({ bus }: CommandSession, level: "info" | "warn", message: string): void {
  bus.emit({ type: "notice", level, message });
}

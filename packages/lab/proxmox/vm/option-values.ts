import { createHash } from "node:crypto";
import { parsePropertyString, printPropertyString } from "../parameters/property-string.ts";
import { splitList } from "../parameters/schema.ts";
import type { Host, ProxmoxState } from "../state.ts";
import { MACHINE } from "./option-formats.ts";

/** Normalizes tags: unique, lower case and sorted, unless the datacenter's tag style says otherwise (docs/facts/proxmox.md#tags). */
export function normaliseTags({ options }: Pick<ProxmoxState, "options">, tags: string): string {
  const style = splitList(options["tag-style"]);
  const asTyped = style.includes("case-sensitive=1");
  const once = [...new Set(splitList(tags).map((tag) => (asTyped ? tag : tag.toLowerCase())))];
  return (style.includes("ordering=config") ? once : once.sort()).join(";");
}

/** Limits CPU units to the range of either version of control groups, as PVE::CGroup does. */
function clampedUnits(units: number, cgroup: 1 | 2): number {
  return cgroup === 2 ? Math.min(10_000, units) : Math.max(2, units);
}

/** Option values as the host stores them: a description without trailing space, a machine type in its short form, a hashed password. */
export function stripped(options: Readonly<Record<string, string>>, host: Host | undefined): Record<string, string> {
  const values = { ...options };
  if (values.description !== undefined) values.description = values.description.trimEnd();
  if (values.description === "") delete values.description;
  if (values.cipassword !== undefined && !/^\$(?:[156]|2[ay])(?:\$.+){2}/.test(values.cipassword))
    values.cipassword = `$5$lab$${createHash("sha256").update(values.cipassword).digest("base64url")}`;
  if (values.machine !== undefined)
    values.machine = printPropertyString(MACHINE, parsePropertyString(MACHINE, values.machine, "machine"));
  if (values.cpuunits !== undefined) values.cpuunits = String(clampedUnits(Number(values.cpuunits), host?.cgroup ?? 2));
  return values;
}

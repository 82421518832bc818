import { createHash } from "node:crypto";
import { parsePropertyString, printPropertyString } from "../parameters/property-string.ts";
import { splitList } from "../parameters/schema.ts";
import { MACHINE } from "./option-formats.ts";

/** Once each, lower case, sorted (proxmox.md 6). */
export function normaliseTags(tags: string): string {
  return [...new Set(splitList(tags).map((tag) => tag.toLowerCase()))].sort().join(";");
}

/** As stored: a description without what trails it, a machine type in its short spelling, a password as its hash. */
export function stripped(options: Readonly<Record<string, string>>): Record<string, string> {
  const values = { ...options };
  if (values.description !== undefined) values.description = values.description.trimEnd();
  if (values.description === "") delete values.description;
  if (values.cipassword !== undefined && !/^\$(?:[156]|2[ay])(?:\$.+){2}/.test(values.cipassword))
    values.cipassword = `$5$lab$${createHash("sha256").update(values.cipassword).digest("base64url")}`;
  if (values.machine !== undefined)
    values.machine = printPropertyString(MACHINE, parsePropertyString(MACHINE, values.machine, "machine"));
  if (values.cpuunits !== undefined) values.cpuunits = String(Math.min(10_000, Math.max(1, Number(values.cpuunits))));
  return values;
}

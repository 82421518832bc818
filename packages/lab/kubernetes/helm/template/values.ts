import { stringify } from "yaml";
import type { Loose } from "../../objects.ts";

/** Go's truth: false, 0, "", nil, and empty lists and maps are false. */
export function isTruthy(value: Loose): boolean {
  if (value === undefined || value === null || value === false || value === 0 || value === "") return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === "object" ? Object.keys(value).length > 0 : true;
}

/** Prints a value as Go's fmt does. */
export function printed(value: Loose): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return `[${value.map(printed).join(" ")}]`;
  if (typeof value !== "object") return String(value);
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${key}:${printed(value[key])}`);
  return `map[${entries.join(" ")}]`;
}

/** Prints YAML as Helm's toYaml does: keys sorted, lists at the level of their key, no newline at the end. */
export function toYaml(value: Loose): string {
  const text = stringify(value ?? null, {
    sortMapEntries: true,
    indentSeq: false,
    lineWidth: 0,
    version: "1.1",
    aliasDuplicateObjects: false,
  });
  return text.replace(/\n$/, "");
}

export function sortedJson(value: Loose): string {
  return JSON.stringify(value, (_, member: Loose) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

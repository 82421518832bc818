import type { Release } from "../release.ts";
import { checkValue, type Errors, FormatError, type Properties, report, requiredBy } from "./property.ts";

/** The parsed values of "local-lvm:vm-100-disk-0,discard=on,size=20G". Booleans are "1" or "0". */
export type PropertyValues = Record<string, string>;

const TRUE = /^(?:1|on|yes|true)$/i;
const FALSE = /^(?:0|off|no|false)$/i;

/** Parses a property string. Throws a FormatError that names every wrong key below `path` (docs/facts/proxmox.md#validation-messages). */
export function parsePropertyString(properties: Properties, text: string, path: string, release?: Release): PropertyValues {
  const values: PropertyValues = {};
  const set = (key: string, value: string) => {
    if (key in values) throw new FormatError(`duplicate key in comma-separated list property: ${key}`);
    values[key] = value;
  };
  for (const part of text.split(",")) {
    if (part.trim() === "") continue;
    const assignment = /^([^=]+)=([\s\S]+)$/.exec(part);
    if (!assignment) {
      if (part.includes("=")) throw new FormatError("missing key in comma-separated list property");
      const key = defaultKeyOf(properties);
      set(key, release?.bareBooleans === false ? part : normalise(properties[key]?.type, part));
      continue;
    }
    const [, key = "", value = ""] = assignment;
    const property = properties[key];
    const alias = property?.keyAlias;
    if (alias !== undefined) {
      if (alias in values) throw new FormatError(`key alias '${alias}' is already defined`);
      values[alias] = key;
    }
    set(property?.alias ?? key, normalise(properties[property?.alias ?? key]?.type, value));
  }
  const errors: Errors = {};
  for (const [key, property] of Object.entries(properties)) {
    const value = values[key];
    const where = `${path}.${key}`;
    if (value !== undefined) {
      checkValue(property, value, where, errors, release);
      if (property.requires !== undefined && values[property.requires] === undefined)
        report(errors, `${path}.${property.requires}`, requiredBy(where, release));
    } else if (!property.optional && property.alias === undefined) {
      report(errors, where, "property is missing and it is not optional");
    }
  }
  for (const key of Object.keys(values))
    if (!(key in properties))
      report(errors, `${path}.${key}`, "property is not defined in schema and the schema does not allow additional properties");
  const wrong = Object.keys(errors).sort();
  if (wrong.length > 0) throw new FormatError(`format error\n${wrong.map((key) => `${key}: ${errors[key]}`).join("\n")}`);
  return values;
}

/** Prints a property string as Proxmox stores it: the default key first and bare, the others sorted by name. */
export function printPropertyString(properties: Properties, values: PropertyValues): string {
  const bare = Object.keys(properties).find((key) => properties[key]?.defaultKey);
  const rest = Object.keys(values).sort();
  const parts: string[] = [];
  if (bare !== undefined && values[bare] !== undefined) {
    const companion = Object.values(properties).find((property) => property.keyAlias === bare)?.alias;
    const value = companion === undefined ? undefined : values[companion];
    parts.push(value === undefined ? values[bare] : `${values[bare]}=${value}`);
    if (companion !== undefined) rest.splice(0, rest.length, ...rest.filter((key) => key !== companion));
  }
  for (const key of rest) if (key !== bare) parts.push(`${key}=${values[key]}`);
  return parts.join(",");
}

function defaultKeyOf(properties: Properties): string {
  const key = Object.keys(properties).find((name) => properties[name]?.defaultKey);
  if (key === undefined) throw new FormatError("value without key, but schema does not define a default key");
  return key;
}

function normalise(type: string | undefined, value: string): string {
  if (type !== "boolean") return value;
  if (TRUE.test(value)) return "1";
  return FALSE.test(value) ? "0" : value;
}

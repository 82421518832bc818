import { badParameters } from "../refusal.ts";
import type { Release } from "../release.ts";
import { checkValue, type Errors, type Properties, type Property, report, requiredBy } from "./property.ts";

export type Parameters = Record<string, string>;
/** As decoded from a form or a JSON body, before any check. */
export type RawParameters = Record<string, RawValue>;
export type RawValue = string | number | boolean | null | readonly RawValue[] | { readonly [key: string]: RawValue };

/**
 * Checks parameters against a method's declaration (docs/facts/proxmox.md#validation-messages): all are checked, and one response reports every
 * wrong one. Valid values are returned as text, as in Perl; JSON booleans become 1 and 0.
 */
export function verifyParameters(properties: Properties, given: RawParameters, release?: Release): Parameters {
  const errors: Errors = {};
  const verified: Parameters = {};
  for (const [key, property] of Object.entries(properties)) {
    const raw = given[key];
    if (raw === undefined || raw === null) {
      if (!property.optional) report(errors, key, "property is missing and it is not optional");
      continue;
    }
    if (property.array) {
      const items = asItems(raw, property, (problem) => report(errors, key, problem));
      for (const [index, item] of items.entries()) checkValue(property, item, `${key}[${index}]`, errors, release);
      verified[key] = items.join("\0");
      continue;
    }
    const text = asText(raw, property, (problem) => report(errors, key, problem));
    if (text === undefined) continue;
    checkValue(property, text, key, errors, release);
    verified[key] = text;
    if (property.requires !== undefined && given[property.requires] === undefined)
      report(errors, property.requires, requiredBy(key, release));
  }
  for (const key of Object.keys(given))
    if (!(key in properties))
      report(errors, key, "property is not defined in schema and the schema does not allow additional properties");
  if (Object.keys(errors).length > 0) throw badParameters(errors);
  return verified;
}

function asText(raw: RawValue, { type, list }: Property, wrong: (problem: string) => void): string | undefined {
  if (typeof raw === "string") return raw;
  if (typeof raw === "number") return String(raw);
  if (typeof raw === "boolean") return raw ? "1" : "0";
  if (list && Array.isArray(raw) && raw.every((item) => typeof item !== "object" || item === null))
    return raw.map(String).join(",");
  wrong(`type check ('${type}') failed - got ${Array.isArray(raw) ? "ARRAY" : "HASH"}`);
  return undefined;
}

/** Converts a value to a list; a single value is a list of one (docs/facts/proxmox.md#request-bodies). */
function asItems(raw: RawValue, property: Property, wrong: (problem: string) => void): string[] {
  const items: readonly RawValue[] = Array.isArray(raw) ? raw : [raw as RawValue];
  return items.map((item) => asText(item, property, wrong) ?? "");
}

/** The values of an array parameter. */
export function itemsOf(text: string | undefined): string[] {
  return text === undefined || text === "" ? [] : text.split("\0");
}

/** Splits a `…-list` value: separated by comma, semicolon, blank or NUL. */
export function splitList(text: string | undefined): string[] {
  return (text ?? "").split(/[,;\s\0]+/).filter((item) => item !== "");
}

import type { Json } from "@talosmith/lib/json.ts";
import type { Field } from "../../engine/step.ts";
import { isAmong, isDelicate } from "./delicate.ts";
import { type HelmRelease, isMap, type Values } from "./release.ts";
import type { StoredRelease } from "./stored-release.ts";

/** The changes of an upgrade; none when the deployed release matches. */
export function releaseDifferences(actual: StoredRelease, release: HelmRelease): Field[] {
  const fields: Field[] = [];
  if (actual.status !== "deployed") fields.push({ path: "status", from: actual.status, to: "deployed" });
  if (actual.chart !== release.chart) fields.push({ path: "chart", from: actual.chart, to: release.chart });
  if (plain(actual.version) !== plain(release.version)) {
    fields.push({ path: "version", from: actual.version, to: release.version });
  }
  return [...fields, ...valueDifferences(actual.values, release.values, release.secretPaths)];
}

/** Some charts write their version with a v; Helm finds it either way. */
const plain = (version: string) => version.replace(/^v/, "");

/** One field for each value that differs, named by its path: "values.hubble.enabled". */
export function valueDifferences(actual: Values, wanted: Values, secretPaths: readonly string[] = []): Field[] {
  const hidden = secretPaths.map((path) => `values.${path}`);
  return mapDifferences("values", actual, wanted).map((field) => (isAmong(hidden, field.path) ? hide(field) : field));
}

/** The values are not in the field, because fields go into events. */
export function hide({ path, from, to }: Field): Field {
  return { path, from: from === null ? null : "(secret)", to: to === null ? null : "(secret)", secret: true };
}

function mapDifferences(path: string, actual: Values, wanted: Values): Field[] {
  const keys = [...new Set([...Object.keys(actual), ...Object.keys(wanted)])].sort();
  return keys.flatMap((key) => differencesAt(`${path}.${key.replaceAll(".", "\\.")}`, own(actual, key), own(wanted, key)));
}

const own = (values: Values, key: string) => (Object.hasOwn(values, key) ? values[key] : undefined);

function differencesAt(path: string, actual: Json | undefined, wanted: Json | undefined): Field[] {
  if (mapOrNothing(actual) && mapOrNothing(wanted)) return mapDifferences(path, actual ?? {}, wanted ?? {});
  if (canonical(actual) === canonical(wanted)) return [];
  const field = { path, from: shown(actual), to: shown(wanted) };
  return [isDelicate(path, actual) || isDelicate(path, wanted) ? hide(field) : field];
}

/** Helm makes no difference between an empty map and none. */
function mapOrNothing(value: Json | undefined): value is Values | undefined {
  return value === undefined || isMap(value);
}

/** An explicit null removes a chart's default, unlike an absent value. */
function shown(value: Json | undefined): Json {
  if (value === undefined) return null;
  return value === null ? "null" : value;
}

/** Equal for equal values, whatever the order of their keys. */
export function canonical(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isMap(value)) return JSON.stringify(value) ?? "";
  const parts = Object.keys(value).sort();
  return `{${parts.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

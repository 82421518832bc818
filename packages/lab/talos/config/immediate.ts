import type { Json } from "@talosmith/lib/json.ts";
import { stringify } from "yaml";
import type { MachineConfig } from "./machine-config.ts";
import { type GoType, kindOf, schemaOf } from "./schema.ts";
import { unifiedDiff } from "./unified-diff.ts";
import { at, isFields } from "./values.ts";

/** Parts of the main document that take effect without a reboot; all others need one (docs/facts/talos.md#applying-a-config). */
const IMMEDIATE = [
  "debug",
  "cluster",
  ...[
    ..."ca acceptedCAs time certSANs install network sysfs sysctls logging controlPlane kubelet kernel registries".split(" "),
    ..."pods seccompProfiles nodeAnnotations nodeLabels nodeTaints".split(" "),
    ..."kubernetesTalosAPIAccess kubePrism hostDNS imageCache nodeAddressSortAlgorithm"
      .split(" ")
      .map((key) => `features.${key}`),
  ].map((key) => `machine.${key}`),
];

/** Talos's reason for a reboot; undefined when the change needs none. */
export function rebootReason(current: MachineConfig, next: MachineConfig): string | undefined {
  const before = canonical(current.main);
  // Parts with immediate effect are taken from the current config, so that the diff shows only the rest.
  const after = canonical(overlaid(without(next.main, IMMEDIATE), current.main, IMMEDIATE));
  if (JSON.stringify(before) === JSON.stringify(after)) return undefined;
  return `this config change can't be applied in immediate mode\ndiff:\n${unifiedDiff(print(before), print(after))}`;
}

/** The difference between whole configs, for a dry run. */
export function configDifference(current: string, next: string): string {
  return unifiedDiff(current, next) || "No changes.";
}

/** Replaces these parts of a value by those of another one. */
function overlaid(value: Json, from: Json | undefined, paths: readonly string[]): Json {
  return paths.reduce<Json>((whole, path) => {
    const part = at(from, path);
    return part === undefined ? whole : put(whole, path.split("."), part);
  }, value);
}

function put(value: Json, [key = "", ...rest]: readonly string[], part: Json): Json {
  const fields = isFields(value) ? value : {};
  return { ...fields, [key]: rest.length === 0 ? part : put(fields[key] ?? {}, rest, part) };
}

function without(value: Json, paths: readonly string[]): Json {
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !paths.includes(key))
      .map(([key, inner]) => {
        const deeper = paths.filter((path) => path.startsWith(`${key}.`)).map((path) => path.slice(key.length + 1));
        return [key, deeper.length > 0 ? without(inner, deeper) : inner];
      }),
  );
}

const schema = schemaOf(13);

/** Removes empty values, and sorts keys in Talos's order: it compares decoded values. */
function canonical(value: Json | undefined, type = "v1alpha1.Config"): Json | undefined {
  const kind = kindOf(schema, type);
  if (Array.isArray(value)) {
    const of = kind.is === "list" ? kind.of : "any";
    return value.length === 0 ? undefined : value.map((item) => canonical(item, of) ?? null);
  }
  if (!isFields(value)) return value === null || value === "" ? undefined : value;
  const keys = Object.keys(value).sort();
  const places = kind.is === "struct" ? [...kind.shape.keys.keys()] : [];
  const entries = keys
    .sort((one, other) => places.indexOf(one) - places.indexOf(other))
    .map((key) => [key, canonical(value[key], innerType(kind, key))] as const)
    .filter(([, inner]) => inner !== undefined);
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Json);
}

function innerType(kind: GoType, key: string): string {
  if (kind.is === "map") return kind.of;
  return kind.is === "struct" ? (kind.shape.keys.get(key) ?? "any") : "any";
}

function print(value: Json | undefined): string {
  return stringify(value ?? {}, { indent: 4, lineWidth: 0 });
}

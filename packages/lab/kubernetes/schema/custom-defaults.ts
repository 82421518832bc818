import type { Loose } from "../objects.ts";
import { isRecord } from "../patch/merge.ts";

/** Sets the CRD's default values; changes the object in place. */
export function defaultCustom(value: Loose, openApi: Loose): void {
  if (!openApi) return;
  if (Array.isArray(value)) {
    for (const item of value) defaultCustom(item, openApi.items);
    return;
  }
  if (!isRecord(value)) return;
  const properties: Record<string, Loose> = openApi.properties ?? {};
  for (const [name, its] of Object.entries(properties)) {
    const empty = value[name] === undefined || (value[name] === null && !its.nullable);
    if (empty && its.default !== undefined) value[name] = structuredClone(its.default);
    defaultCustom(value[name], its);
  }
  if (!isRecord(openApi.additionalProperties)) return;
  for (const [name, member] of Object.entries(value))
    if (!(name in properties)) defaultCustom(member, openApi.additionalProperties);
}

import type { Json } from "@talosmith/lib/json.ts";

/* What is in a resource's spec, whose shape a later Talos may change: whatever is not as expected is not there. */

export function memberOf(of: Json | undefined, name: string): Json | undefined {
  if (of === null || typeof of !== "object" || Array.isArray(of)) return undefined;
  return (of as { readonly [key: string]: Json })[name];
}

/** Undefined for an empty text too, which is how Go writes "none". */
export function textOf(of: Json | undefined, name: string): string | undefined {
  const value = memberOf(of, name);
  return value === undefined || value === null || value === "" ? undefined : String(value);
}

export function listOf(of: Json | undefined, name: string): readonly Json[] {
  const value = memberOf(of, name);
  return Array.isArray(value) ? value : [];
}

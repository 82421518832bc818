import type { Json } from "@talosmith/lib/json.ts";
import type { Values } from "./addon.ts";

/** Merges values by Helm's rules: maps are merged, everything else is replaced, including lists. */
export function mergeValues(base: Values, over: Values): Values {
  const merged = new Map<string, Json>(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const below = merged.get(key);
    merged.set(key, isMap(below) && isMap(value) ? mergeValues(below, value) : value);
  }
  return Object.fromEntries(merged);
}

function isMap(value: Json | undefined): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import type { Loose } from "../objects.ts";

export function isRecord(value: unknown): value is Record<string, Loose> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** RFC 7386. */
export function mergePatch(target: Loose, patch: Loose): Loose {
  if (!isRecord(patch)) return patch;
  const result: Record<string, Loose> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

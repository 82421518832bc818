import type { Json } from "@talosmith/lib/json.ts";

type Tree = { [key: string]: unknown };

/** Simulates server-side apply by one manager: merges the new fields and removes those that it set before and omits now. */
export function serverSideApply(live: unknown, before: unknown, wanted: unknown): unknown {
  if (!isTree(wanted)) return wanted;
  const result: Tree = isTree(live) ? { ...live } : {};
  if (isTree(before)) for (const key of Object.keys(before)) if (!(key in wanted)) without(result, key, before[key]);
  for (const [key, value] of Object.entries(wanted))
    result[key] = serverSideApply(result[key], isTree(before) ? before[key] : undefined, value);
  return result;
}

/** Removes the applied fields and keeps those of others. */
function without(from: Tree, key: string, applied: unknown): void {
  const there = from[key];
  if (!isTree(applied) || !isTree(there)) {
    delete from[key];
    return;
  }
  const rest = { ...there };
  for (const inner of Object.keys(applied)) without(rest, inner, applied[inner]);
  if (Object.keys(rest).length === 0) delete from[key];
  else from[key] = rest;
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** RFC 7386: null removes, objects merge, the rest is replaced. */
export function mergePatch(target: unknown, patch: Json): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const merged: Record<string, unknown> = typeof target === "object" && target !== null ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value as Json);
  }
  return merged;
}

/** "app=x,tier!=y" */
export function matches(selector: string, labels: Record<string, string>): boolean {
  return selector
    .split(",")
    .filter((part) => part !== "")
    .every((part) => {
      const [name = "", value] = part.split(/!?=/);
      if (value === undefined) return labels[name] !== undefined;
      return part.includes("!=") ? labels[name] !== value : labels[name] === value;
    });
}

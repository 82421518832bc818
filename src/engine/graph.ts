import { internalError } from "@talosmith/lib/errors.ts";
import { isCheck, PREFLIGHT, type StepId, type WorkItem } from "./step.ts";

/** Sorts items so that dependencies come first, otherwise in the order of the workflow. */
export function inOrder(items: readonly WorkItem[]): WorkItem[] {
  const byId = new Map<StepId, WorkItem>();
  for (const item of items) {
    if (byId.has(item.id)) throw internalError("GRAPH", { message: `Two steps are called ${item.id}` });
    byId.set(item.id, item);
  }
  const placed = new Set<StepId>();
  const ordered: WorkItem[] = [];
  const place = (item: WorkItem, path: readonly StepId[]): void => {
    if (placed.has(item.id)) return;
    if (path.includes(item.id))
      throw internalError("GRAPH", { message: `Steps wait for each other: ${[...path, item.id].join(" → ")}` });
    for (const need of [...needsOf(item, items), ...afterOf(item)]) {
      const needed = byId.get(need);
      if (!needed) throw internalError("GRAPH", { message: `${item.id} needs ${need}, which is not in the workflow` });
      place(needed, [...path, item.id]);
    }
    placed.add(item.id);
    ordered.push(item);
  };
  for (const item of items) place(item, []);
  return ordered;
}

/** The steps that must have ended before this item, successfully or not. */
export function afterOf(item: WorkItem): StepId[] {
  return (item.after ?? []).map((ref) => ref.step);
}

/** The steps that must be done before this item: its own needs, and unless it is a preflight check every one of them that does not depend on changes. */
export function needsOf(item: WorkItem, items: readonly WorkItem[]): StepId[] {
  const own = item.needs.map((ref) => ref.step);
  if (item.stage === PREFLIGHT) return own;
  return [...own, ...checksOf(items)];
}

const knownChecks = new WeakMap<readonly WorkItem[], StepId[]>();

/** The preflight checks among these items, which each of thousands of items needs. */
function checksOf(items: readonly WorkItem[]): StepId[] {
  const known = knownChecks.get(items);
  if (known !== undefined) return known;
  const checks = items.filter((item) => item.stage === PREFLIGHT && isCheck(item) && !item.before).map((item) => item.id);
  knownChecks.set(items, checks);
  return checks;
}

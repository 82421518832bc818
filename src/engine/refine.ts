import { unlisted } from "./deletion.ts";
import type { Change, Field, Verb } from "./step.ts";
import { isLater } from "./step.ts";

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function fieldDrift(printed: Field, now: Field | undefined): string | undefined {
  // Already as wanted.
  if (!now) return undefined;
  if (!same(printed.from, now.from)) return `${printed.path} is now ${JSON.stringify(now.from)}`;
  if (!isLater(printed.to) && !same(printed.to, now.to)) return `${printed.path} would now become ${JSON.stringify(now.to)}`;
  return undefined;
}

/** A subject that could not be observed when the plan was printed: whether it is new or changed, and in which fields, is known only now. */
const vague = (change: Change) => change.fields.some((field) => isLater(field.from));
const MAKING: readonly Verb[] = ["create", "update"];

function announced(printed: readonly Change[], now: Change): Change | undefined {
  return printed.find(
    (other) =>
      other.subject === now.subject &&
      (other.verb === now.verb || (vague(other) && MAKING.includes(other.verb) && MAKING.includes(now.verb))),
  );
}

/**
 * Compares the changes right before applying with the printed plan. Values that were "known after" may be filled in, and changes that are no longer
 * needed may be missing; nothing else may differ. Returns the first difference.
 */
export function driftSince(printed: readonly Change[], now: readonly Change[]): string | undefined {
  for (const change of now) {
    const before = announced(printed, change);
    if (!before) return `${change.verb} ${change.subject} was not in the plan`;
    const more = unlisted(before.deletes, change.deletes);
    if (more) return `${change.subject}: ${more.slot} (${more.volume}) would now be deleted with it`;
    if (vague(before)) continue;
    for (const field of before.fields) {
      const drift = fieldDrift(
        field,
        change.fields.find((other) => other.path === field.path),
      );
      if (drift) return `${change.subject}: ${drift}`;
    }
    const extra = change.fields.find((field) => !before.fields.some((other) => other.path === field.path));
    if (extra) return `${change.subject}: ${extra.path} differs too`;
  }
  return undefined;
}

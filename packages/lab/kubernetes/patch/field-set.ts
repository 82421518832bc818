/**
 * Sets of fields in the format of managedFields: {"f:spec": {"f:ports": {"k:{\"port\":80}": {".": {}}}}}. A leaf, or a step with ".", is a member
 * of the set; other steps only lead to members.
 */
export interface FieldSet {
  [step: string]: FieldSet;
}

export const SELF = ".";

export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

function isMember(set: FieldSet | undefined): boolean {
  return set !== undefined && (isEmpty(set) || SELF in set);
}

type Keep = (inA: boolean, inB: boolean) => boolean;

function combineBelow(a: FieldSet | undefined, b: FieldSet | undefined, keep: Keep): FieldSet {
  const result: FieldSet = {};
  for (const step of new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})])) {
    if (step === SELF) continue;
    const member = keep(isMember(a?.[step]), isMember(b?.[step]));
    const below = combineBelow(a?.[step], b?.[step], keep);
    if (member) result[step] = isEmpty(below) ? {} : { [SELF]: {}, ...below };
    else if (!isEmpty(below)) result[step] = below;
  }
  return result;
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  return combineBelow(a, b, (inA, inB) => inA || inB);
}

/** The members of `a` that are not in `b`. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return combineBelow(a, b, (inA, inB) => inA && !inB);
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return combineBelow(a, b, (inA, inB) => inA && inB);
}

/** The members as conflicts print them: `.spec.ports[port=80,protocol="TCP"].targetPort`. */
export function pathsIn(set: FieldSet, prefix = ""): string[] {
  return Object.entries(set).flatMap(([step, inner]) => {
    if (step === SELF) return [];
    const here = prefix + printed(step);
    return [...(isMember(inner) ? [here] : []), ...pathsIn(inner, here)];
  });
}

function printed(step: string): string {
  if (step.startsWith("f:")) return `.${step.slice(2)}`;
  if (step.startsWith("v:")) return `[=${step.slice(2)}]`;
  const keys = Object.entries(JSON.parse(step.slice(2)) as Record<string, unknown>);
  return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(",")}]`;
}

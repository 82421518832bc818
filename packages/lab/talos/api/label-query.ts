import { Code, ConnectError } from "@connectrpc/connect";
import { messageOf } from "@talosmith/lib/errors.ts";
import {
  type IDQuery,
  type LabelQuery,
  type LabelTerm,
  LabelTerm_Operation as Operation,
} from "@talosmith/wire/gen/cosi/resource/resource_pb.js";

type Labels = Readonly<Record<string, string>>;
export type Fits = (metadata: { id: string; labels: Labels }) => boolean;

/** Matches when all terms of at least one query match. */
export function fitting(queries: readonly LabelQuery[] = [], ids?: IDQuery): Fits {
  const pattern = ids === undefined || ids.regexp === "" ? undefined : compiled(ids.regexp);
  for (const { op } of queries.flatMap((query) => query.terms)) {
    if (!(op in Operation)) throw new ConnectError(`unsupported label query operator: ${op}`, Code.Unimplemented);
  }
  return ({ id, labels }) =>
    (pattern?.test(id) ?? true) &&
    (queries.length === 0 || queries.some((query) => query.terms.every((term) => isMet(term, labels))));
}

function compiled(regexp: string): RegExp {
  try {
    return new RegExp(regexp);
  } catch (error) {
    const why = messageOf(error);
    throw new ConnectError(`failed to compile regexp: ${why}`, Code.InvalidArgument);
  }
}

function isMet({ key, op, value: wanted, invert }: LabelTerm, labels: Labels): boolean {
  const label = labels[key];
  if (op === Operation.NOT_EXISTS) return label === undefined;
  return met(op, label, wanted) !== invert;
}

function met(op: Operation, label: string | undefined, wanted: readonly string[]): boolean {
  if (label === undefined) return false;
  const [first = ""] = wanted;
  switch (op) {
    case Operation.EQUAL:
      return label === first;
    case Operation.IN:
      return wanted.includes(label);
    case Operation.LT:
      return label < first;
    case Operation.LTE:
      return label <= first;
    case Operation.LT_NUMERIC:
      return amount(label) < amount(first);
    case Operation.LTE_NUMERIC:
      return amount(label) <= amount(first);
    default:
      return true;
  }
}

/** Parses a number with an optional unit; NaN, which is neither smaller nor greater, for other text. */
function amount(text: string): number {
  const [, number, unit = ""] = /^\s*(\d+(?:\.\d+)?)\s*([kmgtp]?i?b?)\s*$/i.exec(text) ?? [];
  if (number === undefined) return Number.NaN;
  const power = "kmgtp".indexOf(unit.charAt(0).toLowerCase()) + 1;
  return Number(number) * (unit.toLowerCase().includes("i") ? 1024 : 1000) ** power;
}

import { isDeepStrictEqual } from "node:util";
import type { KubeObject, ManagedFields } from "../objects.ts";
import type { Schema } from "../schema/schema.ts";
import { difference, type FieldSet, isEmpty, union } from "./field-set.ts";
import { blank, compare, type Half, ownable } from "./fields.ts";

export interface Writer extends Half {
  manager: string;
  apiVersion: string;
  schema: Schema;
  time: string;
}

/** managedFields after a write other than apply: changed fields belong to the writer, and are removed from other managers. */
export function managedAfterUpdate(
  known: readonly ManagedFields[],
  before: KubeObject | undefined,
  after: KubeObject,
  by: Writer,
): ManagedFields[] {
  const { added, modified, removed } = compare(
    before ? ownable(before, by) : ownable(blank(by.schema), by),
    ownable(after, by),
    by.schema,
  );
  const changed = union(added, modified);
  if (isEmpty(changed) && isEmpty(removed)) return [...known];
  const isMine = ownedBy(by, "Update");
  const mine = known.find(isMine);
  const fields = union(difference(mine?.fieldsV1 ?? {}, removed), changed);
  const others = known.filter((entry) => !isMine(entry)).flatMap((entry) => without(entry, union(changed, removed)));
  return sorted([...others, ...entryOf(by, "Update", fields, mine)]);
}

export function ownedBy({ manager, subresource }: Pick<Writer, "manager" | "subresource">, operation: "Apply" | "Update") {
  return (entry: ManagedFields) =>
    entry.manager === manager && entry.operation === operation && entry.subresource === subresource;
}

/** An entry without the lost fields; no entry when none is left. */
export function without(entry: ManagedFields, lost: FieldSet): ManagedFields[] {
  const left = difference(entry.fieldsV1, lost);
  if (isEmpty(left)) return [];
  return [isDeepStrictEqual(left, entry.fieldsV1) ? entry : { ...entry, fieldsV1: left }];
}

/** An entry with its time, which changes only with its fields. */
export function entryOf(
  { manager, apiVersion, time, subresource }: Writer,
  operation: "Apply" | "Update",
  fields: FieldSet,
  before: ManagedFields | undefined,
): ManagedFields[] {
  if (isEmpty(fields)) return [];
  const same = before !== undefined && isDeepStrictEqual(before.fieldsV1, fields) && before.apiVersion === apiVersion;
  return [
    {
      manager,
      operation,
      apiVersion,
      time: same && before.time !== undefined ? before.time : time,
      fieldsType: "FieldsV1",
      fieldsV1: fields,
      ...(subresource !== undefined && { subresource }),
    },
  ];
}

/** Sorted: appliers first, then by time and name. */
export function sorted(entries: readonly ManagedFields[]): ManagedFields[] {
  const key = ({ operation, time = "", manager, apiVersion, subresource = "" }: ManagedFields) =>
    [operation, time, manager, apiVersion, subresource].join("\0");
  return [...entries].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

import { isDeepStrictEqual } from "node:util";
import type { KubeObject, ManagedFields } from "../objects.ts";
import { changedFields, difference, fieldsOf, isEmpty, ownable, union } from "./fields.ts";

export interface Updating {
  manager: string;
  apiVersion: string;
  subresource?: string;
  custom: boolean;
  time: string;
}

/** managedFields after somebody wrote an object in another way than apply: what changed is theirs, and nobody else's. */
export function managedAfterUpdate(before: KubeObject | undefined, after: KubeObject, by: Updating): ManagedFields[] {
  const known = before?.metadata.managedFields ?? [];
  const changed = before ? changedFields(ownable(before), ownable(after), by.custom) : fieldsOf(ownable(after), by.custom);
  if (isEmpty(changed)) return [...known];
  const isMine = (entry: ManagedFields) =>
    entry.manager === by.manager && entry.operation === "Update" && entry.subresource === by.subresource;
  const mine = known.find(isMine);
  const present = difference(changed, difference(changed, fieldsOf(ownable(after), by.custom)));
  const fields = union(difference(mine?.fieldsV1 ?? {}, difference(changed, present)), present);
  const others = known
    .filter((entry) => !isMine(entry))
    .map((entry) => ({ ...entry, fieldsV1: difference(entry.fieldsV1, changed) }))
    .filter((entry) => !isEmpty(entry.fieldsV1));
  if (isEmpty(fields)) return others;
  const entry: ManagedFields = {
    manager: by.manager,
    operation: "Update",
    apiVersion: by.apiVersion,
    time: mine && isDeepStrictEqual(mine.fieldsV1, fields) && mine.time !== undefined ? mine.time : by.time,
    fieldsType: "FieldsV1",
    fieldsV1: fields,
    ...(by.subresource !== undefined && { subresource: by.subresource }),
  };
  return [...others, entry];
}

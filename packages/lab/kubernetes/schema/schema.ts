/** The type of a value, and how its parts are owned: for built-in types and for those of CRDs. */
export type Schema = Plain | Struct | MapOf | ListOf;

/** "any": the content is unknown; its maps are owned key by key, its lists as a whole. */
export interface Plain {
  is: "string" | "int32" | "int64" | "number" | "boolean" | "bytes" | "time" | "quantity" | "int-or-string" | "any";
}

export interface Struct {
  is: "struct";
  /** "core.v1.PodSpec"; empty for a CRD. */
  name: string;
  field(name: string): Field | undefined;
  fields(): ReadonlyMap<string, Field>;
  /** Owned as a whole, whatever its fields are. */
  atomic: boolean;
  /** For custom resources: undeclared fields are kept, as "any". */
  open: boolean;
}

export interface Field {
  schema: Schema;
  required: boolean;
  /** Present even in an empty object. */
  always: boolean;
}

export interface MapOf {
  is: "map";
  of: Schema;
  atomic: boolean;
}

export interface ListOf {
  is: "list";
  of: Schema;
  by: "atomic" | "set" | readonly string[];
  /** The merge key of its items in a strategic merge patch; "" for plain values. */
  patch?: string;
}

export const ANY: Plain = { is: "any" };

/** The schema of a struct's or a map's member. */
export function memberOf(schema: Schema, key: string): Schema {
  if (schema.is === "struct") return schema.field(key)?.schema ?? ANY;
  return schema.is === "map" ? schema.of : ANY;
}

export function itemOf(schema: Schema): Schema {
  return schema.is === "list" ? schema.of : ANY;
}

/** What a value may be, and who may own parts of it: the same for built-in types and for those a CRD describes. */
export type Schema = Plain | Struct | MapOf | ListOf;

/** "any": nobody knows what is inside; its maps are owned key by key, its lists as one. */
export interface Plain {
  is: "string" | "int32" | "int64" | "number" | "boolean" | "bytes" | "time" | "quantity" | "int-or-string" | "any";
}

export interface Struct {
  is: "struct";
  /** "core.v1.PodSpec"; of a CRD the empty text. */
  name: string;
  field(name: string): Field | undefined;
  fields(): ReadonlyMap<string, Field>;
  /** One value, however many fields it has. */
  atomic: boolean;
  /** Of custom resources: what is not declared is kept, as "any". */
  open: boolean;
}

export interface Field {
  schema: Schema;
  required: boolean;
  /** There even in an object nobody has written anything into. */
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
  /** What a strategic merge patch merges its items by; "" for plain values. */
  patch?: string;
}

export const ANY: Plain = { is: "any" };

/** Of what a struct or a map holds under a key. */
export function memberOf(schema: Schema, key: string): Schema {
  if (schema.is === "struct") return schema.field(key)?.schema ?? ANY;
  return schema.is === "map" ? schema.of : ANY;
}

export function itemOf(schema: Schema): Schema {
  return schema.is === "list" ? schema.of : ANY;
}

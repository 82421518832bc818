import type { Loose } from "../objects.ts";
import { isRecord } from "../patch/merge.ts";
import type { Field, Schema, Struct } from "./schema.ts";

/** A body that cannot be decoded as an object of this kind, with the message of Go's decoder. */
export class Undecodable extends Error {}

export interface Decoded {
  value: Loose;
  /** `unknown field "spec.foo"`: fields that are dropped. */
  strict: string[];
}

/** Decodes a body as a typed server does: drops and reports unknown fields, refuses wrong types. */
export function decode(value: Loose, schema: Schema): Decoded {
  const strict: string[] = [];
  return { value: read(value, schema, { path: "", plain: "", inside: "", strict }), strict };
}

interface FieldPath {
  /** The path with indices: `spec.containers[0].image`. */
  path: string;
  /** The path without indices. */
  plain: string;
  /** The struct that contains the field. */
  inside: string;
  strict: string[];
}

function read(value: Loose, schema: Schema, at: FieldPath): Loose {
  switch (schema.is) {
    case "any":
      return value;
    case "struct":
      return isRecord(value) ? readStruct(value, schema, at) : refuse(value, goName(schema), at);
    case "map":
      if (!isRecord(value)) return refuse(value, goName(schema), at);
      return Object.fromEntries(
        Object.entries(value).map(([key, member]) => [
          key,
          read(member ?? zeroOf(schema.of), schema.of, { ...at, path: `${at.path}.${key}` }),
        ]),
      );
    case "list":
      if (!Array.isArray(value)) return refuse(value, goName(schema), at);
      return value.map((item, index) => read(item, schema.of, { ...at, path: `${at.path}[${index}]` }));
    default:
      return readPlain(value, schema, at);
  }
}

function readStruct(value: Record<string, Loose>, schema: Struct, at: FieldPath): Loose {
  const result: Record<string, Loose> = {};
  const custom = schema.name === "";
  for (const [key, member] of Object.entries(value)) {
    const path = at.path === "" ? key : `${at.path}.${key}`;
    const field = schema.field(key);
    if (!field) {
      if (schema.open) result[key] = member;
      else at.strict.push(`unknown field ${JSON.stringify(path)}`);
    } else if (member === null || member === undefined) {
      if (custom && member === null) result[key] = null;
    } else {
      const inside = custom ? at.inside : (schema.name.split(".").at(-1) ?? "");
      const plain = at.plain === "" ? key : `${at.plain}.${key}`;
      // A CRD's fields are checked by its own validation, which has other messages.
      result[key] = custom && mismatches(member, field) ? member : read(member, field.schema, { ...at, path, plain, inside });
    }
  }
  return result;
}

function mismatches(value: Loose, { schema }: Field): boolean {
  if (schema.is === "struct" || schema.is === "map") return !isRecord(value);
  if (schema.is === "list") return !Array.isArray(value);
  return true;
}

const QUANTITY = /^[+-]?(\d+\.?\d*|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;

function readPlain(value: Loose, { is }: Exclude<Schema, { is: "struct" | "map" | "list" }>, at: FieldPath): Loose {
  switch (is) {
    case "int32":
    case "int64":
      if (typeof value !== "number") return refuse(value, is, at);
      return Number.isInteger(value) ? value : refuse(value, is, at, `number ${value}`);
    case "number":
      return typeof value === "number" ? value : refuse(value, "float64", at);
    case "boolean":
      return typeof value === "boolean" ? value : refuse(value, "bool", at);
    case "bytes":
      if (typeof value !== "string") return refuse(value, "[]uint8", at);
      return checkBase64(value);
    case "quantity": {
      const text = String(value);
      if (QUANTITY.test(text)) return text;
      throw new Undecodable("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    }
    case "int-or-string":
      return typeof value === "number" || typeof value === "string" ? value : refuse(value, "intstr.IntOrString", at);
    default:
      return typeof value === "string" ? value : refuse(value, "string", at);
  }
}

function checkBase64(text: string): string {
  const bare = text.replace(/[\r\n]/g, "");
  const bad = /[^A-Za-z0-9+/=]/.exec(bare)?.index ?? (bare.length % 4 === 0 ? -1 : bare.length - (bare.length % 4));
  if (bad < 0) return text;
  throw new Undecodable(`illegal base64 data at input byte ${bad}`);
}

function refuse(value: Loose, type: string, { plain, inside }: FieldPath, what = jsonName(value)): never {
  throw new Undecodable(`json: cannot unmarshal ${what} into Go struct field ${inside}.${plain} of type ${type}`);
}

function jsonName(value: Loose): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value;
}

function goName(schema: Schema): string {
  switch (schema.is) {
    case "struct":
      return schema.name.split(".").slice(-2).join(".");
    case "map":
      return `map[string]${goName(schema.of)}`;
    case "list":
      return `[]${goName(schema.of)}`;
    case "boolean":
      return "bool";
    case "bytes":
      return "[]uint8";
    case "quantity":
      return "resource.Quantity";
    default:
      return schema.is;
  }
}

function zeroOf(schema: Schema): Loose {
  if (schema.is === "string" || schema.is === "bytes") return "";
  return schema.is === "quantity" ? "0" : {};
}

import type { Loose } from "../objects.ts";
import type { Resource } from "../resources/resource.ts";
import { typeNamed, typeOf } from "../schema/read-types.ts";
import type { Field, Schema, Struct } from "../schema/schema.ts";
import { definitionName, openApiName } from "./type-names.ts";

/** OpenAPI definitions without descriptions: by name, with all types they refer to. */
export function schemasOf(rows: readonly Resource[], prefix: string): Record<string, Loose> {
  const result: Record<string, Loose> = {};
  const add = (struct: Struct, gvk?: Loose) => {
    const name = openApiName(struct.name);
    if (result[name]) return;
    result[name] = {};
    result[name] = { ...describeStruct(struct, prefix, add), ...(gvk && { "x-kubernetes-group-version-kind": [gvk] }) };
  };
  for (const row of rows) {
    const gvk = { group: row.group, version: row.version, kind: row.kind };
    const struct = row.custom ? undefined : typeOf(row.group, row.version, row.kind);
    if (struct) add(struct, gvk);
    else result[definitionName(row)] = { ...customSchema(row, prefix), "x-kubernetes-group-version-kind": [gvk] };
  }
  const metadata = typeNamed("meta.v1.ObjectMeta");
  if (metadata) add(metadata);
  return result;
}

/** A CRD's schema as it was written, with the fields that every object has. */
function customSchema({ custom }: Resource, prefix: string): Loose {
  const { properties = {}, ...rest } = custom?.schema ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const metadata = { allOf: [{ $ref: `${prefix}${openApiName("meta.v1.ObjectMeta")}` }] };
  return {
    ...rest,
    properties: { ...properties, apiVersion: { type: "string" }, kind: { type: "string" }, metadata },
  };
}

function describeStruct(struct: Struct, prefix: string, add: (struct: Struct) => void): Loose {
  const fields = [...struct.fields()];
  const required = fields.filter(([, field]) => field.required).map(([name]) => name);
  return {
    type: "object",
    ...(fields.length > 0 && {
      properties: Object.fromEntries(fields.map(([name, field]) => [name, describeField(field, prefix, add)])),
    }),
    ...(required.length > 0 && { required }),
    ...(struct.atomic && { "x-kubernetes-map-type": "atomic" }),
  };
}

function describeField({ schema, always }: Field, prefix: string, add: (struct: Struct) => void): Loose {
  const described = describe(schema, prefix, add);
  if (schema.is !== "struct") return described;
  return { allOf: [described], ...(always && { default: {} }) };
}

const PLAIN: Record<string, Loose> = {
  string: { type: "string" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  number: { type: "number", format: "double" },
  boolean: { type: "boolean" },
  bytes: { type: "string", format: "byte" },
  time: { type: "string", format: "date-time" },
  quantity: { oneOf: [{ type: "string" }, { type: "number" }] },
  "int-or-string": { oneOf: [{ type: "integer" }, { type: "string" }], format: "int-or-string" },
  any: { type: "object" },
};

function describe(schema: Schema, prefix: string, add: (struct: Struct) => void): Loose {
  switch (schema.is) {
    case "struct":
      add(schema);
      return { $ref: `${prefix}${openApiName(schema.name)}` };
    case "map":
      return {
        type: "object",
        additionalProperties: describe(schema.of, prefix, add),
        ...(schema.atomic && { "x-kubernetes-map-type": "atomic" }),
      };
    case "list": {
      const { by, patch, of } = schema;
      return {
        type: "array",
        items: describe(of, prefix, add),
        ...(typeof by === "string"
          ? { "x-kubernetes-list-type": by }
          : { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": by }),
        ...(patch !== undefined && { "x-kubernetes-patch-strategy": "merge" }),
        ...(patch && { "x-kubernetes-patch-merge-key": patch }),
      };
    }
    default:
      return PLAIN[schema.is];
  }
}

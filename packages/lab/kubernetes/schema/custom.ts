import type { Loose } from "../objects.ts";
import { typeNamed } from "./read-types.ts";
import { ANY, type Field, type Plain, type Schema, type Struct } from "./schema.ts";

const known = new WeakMap<object, Struct>();

/** The schema of a CRD. A CRD without a schema keeps all fields. */
export function customSchema(openApi: Loose): Struct {
  if (!openApi) return ENTIRELY_OPEN;
  const before = known.get(openApi);
  if (before) return before;
  const made = struct(openApi, objectFields());
  known.set(openApi, made);
  return made;
}

function objectFields(): Map<string, Field> {
  const text: Field = { schema: { is: "string" }, required: false, always: false };
  const metadata: Field = { schema: typeNamed("meta.v1.ObjectMeta") ?? ANY, required: false, always: true };
  return new Map([
    ["apiVersion", text],
    ["kind", text],
    ["metadata", metadata],
  ]);
}

const ENTIRELY_OPEN = struct({ "x-kubernetes-preserve-unknown-fields": true }, objectFields());

function read(openApi: Loose): Schema {
  if (openApi["x-kubernetes-int-or-string"]) return { is: "int-or-string" };
  switch (openApi.type) {
    case "array":
      return { is: "list", of: openApi.items ? read(openApi.items) : ANY, by: listKeys(openApi) };
    case "object":
      return objectOf(openApi);
    case "string":
    case "number":
    case "boolean":
      return { is: openApi.type };
    case "integer":
      return { is: openApi.format === "int32" ? "int32" : "int64" } satisfies Plain;
    default:
      return openApi.properties ? objectOf(openApi) : ANY;
  }
}

function listKeys(openApi: Loose): "atomic" | "set" | readonly string[] {
  if (openApi["x-kubernetes-list-type"] === "set") return "set";
  return openApi["x-kubernetes-list-type"] === "map" ? (openApi["x-kubernetes-list-map-keys"] ?? []) : "atomic";
}

function objectOf(openApi: Loose): Schema {
  const atomic = openApi["x-kubernetes-map-type"] === "atomic";
  const { additionalProperties: others } = openApi;
  if (others && !openApi.properties) return { is: "map", of: others === true ? ANY : read(others), atomic };
  return struct(openApi, openApi["x-kubernetes-embedded-resource"] ? objectFields() : new Map());
}

function struct(openApi: Loose, first: Map<string, Field>): Struct {
  let fields: Map<string, Field> | undefined;
  const all = () => {
    fields ??= new Map([...Object.entries<Loose>(openApi.properties ?? {}).map(own), ...first]);
    return fields;
  };
  const own = ([name, its]: [string, Loose]): [string, Field] => [
    name,
    { schema: read(its), required: (openApi.required ?? []).includes(name), always: false },
  ];
  return {
    is: "struct",
    name: "",
    atomic: openApi["x-kubernetes-map-type"] === "atomic",
    open: openApi["x-kubernetes-preserve-unknown-fields"] === true,
    fields: all,
    field: (name) => all().get(name),
  };
}

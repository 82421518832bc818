import type { Resource } from "../resources/resource.ts";
import { customSchema } from "./custom.ts";
import { typeOf } from "./read-types.ts";
import { ANY, type Schema } from "./schema.ts";

/** The schema of a resource's objects. */
export function schemaOf({ group, version, kind, custom }: Resource): Schema {
  return custom ? customSchema(custom.schema) : (typeOf(group, version, kind) ?? ANY);
}

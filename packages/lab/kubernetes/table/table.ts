import type { KubeObject, Loose } from "../objects.ts";
import { type Resource, resourceKey } from "../resources/resource.ts";
import { inVersion } from "../resources/versions.ts";
import { age, type Column, name } from "./column.ts";
import { COLUMNS } from "./columns.ts";
import { ageOf, type Since } from "./duration.ts";

export interface TableOptions {
  since: Since;
  includeObject: string;
  metadata: Loose;
  /** A watch sends the columns once. */
  withColumns: boolean;
}

/** A list as a table, which kubectl prints without knowing the kinds. */
export function tableOf(resource: Resource, objects: readonly KubeObject[], options: TableOptions): Loose {
  const columns = columnsOf(resource);
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: options.metadata,
    columnDefinitions: options.withColumns ? columns.map(definition) : null,
    rows: objects.map((object) => ({
      cells: columns.map((column) => column.cell(object, options.since) ?? ""),
      ...(options.includeObject !== "None" && { object: shown(inVersion(resource, object), options.includeObject) }),
    })),
  };
}

function columnsOf(resource: Resource): readonly Column[] {
  // Events have their name last, and only on request.
  if (resourceKey(resource) === "events") return COLUMNS.events ?? [];
  if (resource.custom) return [name, ...(resource.columns?.map(customColumn) ?? [age])];
  return [name, ...(COLUMNS[resourceKey(resource)] ?? [age])];
}

function customColumn(column: NonNullable<Resource["columns"]>[number]): Column {
  const path = column.jsonPath.replace(/^\./, "");
  return {
    name: column.name,
    cell: (object, since) => {
      const value = valueAt(object, path);
      return column.type === "date" ? ageOf(value, since) : value;
    },
    ...(column.priority && { wide: true as const }),
  };
}

/** The value at `.spec.x` or `.status.conditions[?(@.type=="Ready")].status`: the two path forms of CRDs. */
function valueAt(object: Loose, path: string): Loose {
  const steps = path.match(/[^.[\]]+|\[\?\([^)]*\)\]|\[\d+\]/g) ?? [];
  return steps.reduce<Loose>((at, step) => {
    const [, key = "", wanted] = /^\[\?\(@\.(\w+)\s*==\s*["']([^"']*)["']\)\]$/.exec(step) ?? [];
    if (wanted !== undefined) return at?.find?.((item: Loose) => item?.[key] === wanted);
    return at?.[step.replace(/[[\]]/g, "")];
  }, object);
}

function definition({ name: title, type = "string", wide }: Column): Loose {
  return { name: title, type, format: title === "Name" ? "name" : "", description: "", priority: wide ? 1 : 0 };
}

function shown(object: KubeObject, include: string): Loose {
  if (include === "Object") return object;
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object.metadata };
}

import { KINDS_1_12, TYPES_1_12 } from "./types-1-12.ts";
import { KINDS_1_13, TYPES_1_13 } from "./types-1-13.ts";
import { KINDS_1_14, TYPES_1_14 } from "./types-1-14.ts";

/**
 * A type as Go defines it. A line of the tables is `name [!how] [=other] key:type …`: `!text` and `!yaml` have a custom decoder for a scalar or for
 * any value; `=other` is another name of a list, a map or a scalar; a key without a type is a string.
 */
export interface Shape {
  custom?: "text" | "yaml";
  of?: string;
  keys: ReadonlyMap<string, string>;
}

export interface Schema {
  shapes: ReadonlyMap<string, Shape>;
  /** Types of documents, by kind. */
  kinds: ReadonlyMap<string, string>;
}

const TABLES = [
  [TYPES_1_12, KINDS_1_12],
  [TYPES_1_13, KINDS_1_13],
  [TYPES_1_14, KINDS_1_14],
] as const;

const known = new Map<number, Schema>();

/** The schema of a Talos minor version: each release adds to the previous one. */
export function schemaOf(minor: number): Schema {
  const releases = Math.min(TABLES.length, Math.max(1, minor - 11));
  const before = known.get(releases);
  if (before) return before;
  const tables = TABLES.slice(0, releases);
  const schema: Schema = {
    shapes: new Map(tables.flatMap(([types]) => linesOf(types).map(readShape))),
    kinds: new Map(tables.flatMap(([, kinds]) => linesOf(kinds).map((line) => line.split(" ", 2) as [string, string]))),
  };
  known.set(releases, schema);
  return schema;
}

function linesOf(table: string): string[] {
  return table.split("\n").filter((line) => line !== "");
}

function readShape(line: string): [string, Shape] {
  const [name = "", ...words] = line.split(" ");
  const custom = words.find((word) => word.startsWith("!"))?.slice(1) as Shape["custom"];
  const of = words.find((word) => word.startsWith("="))?.slice(1);
  const keys = words
    .filter((word) => !/^[!=]/.test(word))
    .map((word) => {
      const colon = word.indexOf(":");
      return colon < 0 ? ([word, "string"] as const) : ([word.slice(0, colon), word.slice(colon + 1)] as const);
    });
  return [name, { ...(custom && { custom }), ...(of !== undefined && { of }), keys: new Map(keys) }];
}

/** The underlying type, without pointers. */
export type GoType =
  | { is: "struct"; shape: Shape }
  | { is: "list"; of: string }
  | { is: "map"; of: string }
  | { is: "scalar"; type: string }
  | { is: "any" };

export function kindOf(schema: Schema, type: string): GoType {
  const bare = withoutPointer(type);
  if (bare === "any") return { is: "any" };
  if (bare.startsWith("[]")) return { is: "list", of: bare.slice(2) };
  const map = /^map\[\w+\](.+)$/.exec(bare)?.[1];
  if (map !== undefined) return { is: "map", of: map };
  const shape = schema.shapes.get(bare);
  if (!shape) return { is: "scalar", type: bare };
  if (shape.of === undefined) return { is: "struct", shape };
  return kindOf(schema, shape.of);
}

export function withoutPointer(type: string): string {
  return type.replace(/^\*+/, "");
}

import { CORE_TYPES } from "./core-types.ts";
import { OTHER_TYPES } from "./other-types.ts";
import { ANY, type Field, type Plain, type Schema, type Struct } from "./schema.ts";

const PLAIN: Record<string, Plain["is"]> = {
  "": "string",
  s: "string",
  i: "int32",
  I: "int64",
  n: "number",
  b: "boolean",
  y: "bytes",
  t: "time",
  u: "time",
  q: "quantity",
  "#": "int-or-string",
  "?": "any",
};

const LINES = new Map(
  `${CORE_TYPES}${OTHER_TYPES}`
    .split("\n")
    .filter((line) => line !== "")
    .map((line): [string, { atomic: boolean; text: string }] => {
      const [head = "", ...fields] = line.split(" ");
      return [head.replace(/!$/, ""), { atomic: head.endsWith("!"), text: fields.join(" ") }];
    }),
);

const read = new Map<string, Struct>();

/** A type by its name, "apps.v1.Deployment"; its fields are parsed on first use. */
export function typeNamed(name: string): Struct | undefined {
  const line = LINES.get(name);
  if (!line) return undefined;
  const known = read.get(name);
  if (known) return known;
  let fields: Map<string, Field> | undefined;
  const all = () => {
    fields ??= new Map(line.text.split(" ").filter(Boolean).map(readField));
    return fields;
  };
  const struct: Struct = {
    is: "struct",
    name,
    atomic: line.atomic,
    open: false,
    fields: all,
    field: (key) => all().get(key),
  };
  read.set(name, struct);
  return struct;
}

function readField(text: string): [string, Field] {
  const colon = text.indexOf(":");
  const [head, type] = colon < 0 ? [text, ""] : [text.slice(0, colon), text.slice(colon + 1)];
  const always = type.startsWith("$");
  return [head.replace(/!$/, ""), { schema: readType(always ? type.slice(1) : type), required: head.endsWith("!"), always }];
}

function readType(text: string): Schema {
  const list = /^\[([^\]|]*)(?:\|([^\]]*))?\](.*)$/.exec(text);
  if (list) {
    const [, how = "", patch, of = ""] = list;
    const by = how === "" ? "atomic" : how === "=" ? "set" : how.split(",");
    return { is: "list", of: readType(of), by, ...(patch !== undefined && { patch }) };
  }
  const map = /^\{(!?)\}(.*)$/.exec(text);
  if (map) return { is: "map", of: readType(map[2] ?? ""), atomic: map[1] === "!" };
  const plain = PLAIN[text];
  return plain === undefined ? (typeNamed(text) ?? ANY) : { is: plain };
}

const GROUPS: Record<string, string> = { "": "core" };

/** The type of a built-in kind. */
export function typeOf(group: string, version: string, kind: string): Struct | undefined {
  return typeNamed(`${GROUPS[group] ?? group.split(".")[0]}.${version}.${kind}`);
}

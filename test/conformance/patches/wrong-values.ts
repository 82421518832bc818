import type { Json } from "@talosmith/lib/json.ts";
import { type Field, fieldsOf, kindsOf } from "../../../src/talos/config/fields/field.ts";
import { type Minor, ORIGINAL } from "../../../src/talos/config/fields/kinds.ts";

type Document = Record<string, Json>;

/** Values of every shape; each place of every kind can read some of them. */
const VALUES: readonly Json[] = [
  ...[
    "some text",
    "",
    "yes",
    "10.0.0.1",
    "10.0.0.0/24",
    "[fd00::1]:80",
    "aa:bb:cc:00:11:22",
    "1m30s",
    "0",
    "10GiB",
    "50%",
    "-5GB",
  ],
  ...[">= 10GB", "main", "8000-9000", "https://example.org/a?b=c", "dGV4dA==", "luks2", "802.3AD", "stable"],
  ...[0, 1, -1, 300, 70_000, 5_000_000_000, 1.5, true, false],
  ...[["text"], [1], [{ name: "a" }], { some: "text" }, {}, { crt: "dGV4dA==", key: "" }, { key: "no base64!" }],
];

/** Documents that have one value, right or wrong, somewhere; and one that has a key too many there. */
export function* wrongValues(minor: Minor): Generator<readonly [string, Document]> {
  for (const kind of kindsOf(minor)) {
    const section = fieldsOf(kind, minor);
    const own: Document = kind === ORIGINAL ? { version: "v1alpha1", debug: false } : { apiVersion: "v1alpha1", kind };
    if (section?.keys.has("name")) own.name = "name";
    for (const [path, put] of section ? places(section, []) : []) {
      if (["apiVersion", "kind", "name", "version"].includes(path)) continue;
      for (const value of VALUES) yield [`${minor} ${kind} ${path} ${JSON.stringify(value)}`, { ...own, ...put(value) }];
    }
  }
}

type Put = (value: Json) => Document;

function* places(
  field: Field,
  above: readonly string[],
  wrap: Put = (value) => value as Document,
): Generator<readonly [string, Put]> {
  const path = above.join(".");
  if (path !== "") yield [path, wrap];
  if (field.is === "list") yield* places(field.of, [...above, "0"], (value) => wrap([value]));
  if (field.is === "map") yield* places(field.of, [...above, "a"], (value) => wrap({ a: value }));
  if (field.is !== "object") return;
  for (const [key, inner] of field.keys) yield* places(inner, [...above, key], (value) => wrap({ [key]: value }));
}

import { expect, test } from "vitest";
import { expectGenerated } from "../../test/support/generated.ts";
import { PLATFORM_CONFIGS } from "../platforms/configs.ts";
import { configJsonSchema } from "./json-schema.ts";
import { configReference } from "./reference.ts";
import { type JsonSchema, kindOf, words } from "./reference-words.ts";

test("docs/reference/config.md matches the schema", () => {
  expectGenerated("docs/reference/config.md", configReference(PLATFORM_CONFIGS));
});

/** Every key of the sections a person writes; what is inside a planned key is named with it. */
function keysOf(json: JsonSchema): string[] {
  return Object.entries(json.properties ?? {}).flatMap(([key, inner]) => {
    const planned = inner.description?.endsWith("Not available yet.");
    return [key, ...(planned ? [] : shapesOf(inner).flatMap(keysOf))];
  });
}

/** A value may be one of several, a list of them, or a map of them. */
function shapesOf(json: JsonSchema): JsonSchema[] {
  const more = typeof json.additionalProperties === "object" ? [json.additionalProperties] : [];
  return [json, ...[...(json.anyOf ?? []), ...(json.items ? [json.items] : []), ...more].flatMap(shapesOf)];
}

test("every key of the schema has a row", () => {
  const keys = new Set(keysOf(configJsonSchema(PLATFORM_CONFIGS) as JsonSchema));
  const rows = new Set([...configReference(PLATFORM_CONFIGS).matchAll(/^\| `(?:[\w.[\]]+\.)?(\w+)`/gm)].map(([, key]) => key));
  // They only say for which nodes the settings hold, and are named above the settings.
  for (const key of ["all", "controlplane", "worker"]) keys.delete(key);
  expect([...keys].filter((key) => !rows.has(key))).toEqual([]);
});

test("a planned key is listed separately, with a hint", () => {
  const [available, notYet] = configReference(PLATFORM_CONFIGS).split("## Not available yet");
  expect(available).not.toMatch(/Not available yet|`mount`|`oci`/);
  expect(notYet).toContain("| `image.overlay` | a map | Board overlay. | remove it: it comes in a later version |");
  expect(notYet).toContain(
    "| `platform` | `oci` | One more choice. | use proxmox, metal or vps: other platforms come in a later version |",
  );
});

test("no row says undefined", () => {
  expect(
    configReference(PLATFORM_CONFIGS)
      .split("\n")
      .filter((line) => line.includes("undefined")),
  ).toEqual([]);
});

test("types of values are described in words", () => {
  expect(words(["a"])).toBe("`a`");
  expect(words(["a", "b", "c"])).toBe("`a`, `b` or `c`");
  expect(kindOf({ type: "array", items: { anyOf: [{ type: "string" }, { properties: { size: {}, keep: {} } }] } })).toBe(
    "a list, each text or a section: size, keep",
  );
});

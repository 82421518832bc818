import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { PLATFORM_CONFIGS } from "../platforms/configs.ts";
import { configJsonSchema } from "./json-schema.ts";

const FILE = "schema/config.schema.json";

/** Anything in a schema that has properties, with the way to it. */
function* sections(schema: unknown, path = ""): Generator<[string, Record<string, Record<string, unknown>>]> {
  if (typeof schema !== "object" || schema === null) return;
  if ("properties" in schema) yield [path, schema.properties as Record<string, Record<string, unknown>>];
  for (const [key, inner] of Object.entries(schema)) if (key !== "allOf") yield* sections(inner, `${path}/${key}`);
}

test("the committed JSON Schema matches the code (UPDATE=1 rewrites it)", () => {
  if (process.env.UPDATE !== undefined) writeFileSync(FILE, `${JSON.stringify(configJsonSchema(PLATFORM_CONFIGS), null, 2)}\n`);
  expect(JSON.parse(readFileSync(FILE, "utf8"))).toEqual(configJsonSchema(PLATFORM_CONFIGS));
});

test("every key has a description", () => {
  const silent = [...sections(configJsonSchema(PLATFORM_CONFIGS))].flatMap(([path, keys]) =>
    Object.entries(keys)
      .filter(([, key]) => typeof key.description !== "string")
      .map(([key]) => `${path}/${key}`),
  );
  expect(silent).toEqual([]);
});

test("editors accept a reference where a pattern is asked for", () => {
  const schema = configJsonSchema(PLATFORM_CONFIGS) as { properties: { cluster: { properties: { name: { pattern: string } } } } };
  const pattern = new RegExp(schema.properties.cluster.properties.name.pattern);
  expect(["homelab", `\${env:NAME}`, "Home Lab"].map((text) => pattern.test(text))).toEqual([true, true, false]);
});

test("each example matches its pattern", () => {
  const misfits: string[] = [];
  const look = (schema: unknown, path: string): void => {
    if (typeof schema !== "object" || schema === null) return;
    const { pattern, examples } = schema as { pattern?: unknown; examples?: unknown };
    if (typeof pattern === "string" && Array.isArray(examples))
      for (const example of examples) {
        const value = parse(String(example));
        if (typeof value === "string" && !value.includes("…") && !new RegExp(pattern).test(value))
          misfits.push(`${path}: ${value}`);
      }
    for (const [key, inner] of Object.entries(schema)) look(inner, `${path}/${key}`);
  };
  look(configJsonSchema(PLATFORM_CONFIGS), "");
  expect(misfits).toEqual([]);
});

test("required keys are in the JSON Schema", () => {
  expect(configJsonSchema(PLATFORM_CONFIGS).required).toEqual(["platform", "cluster", "network", "nodes"]);
  expect(configJsonSchema(PLATFORM_CONFIGS).allOf).toContainEqual({
    if: { properties: { platform: { const: "proxmox" } } },
    // biome-ignore lint/suspicious/noThenProperty: it is JSON Schema's word.
    then: { required: ["proxmox"] },
  });
});

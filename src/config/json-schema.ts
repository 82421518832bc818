import * as z from "zod";
import { neededSections } from "./needs.ts";
import type { Platforms } from "./platform.ts";
import type { JsonSchema } from "./reference-words.ts";
import { Grammar } from "./schema/grammar.ts";

/** The JSON Schema for editors. A test compares it with the copy in schema/. */
export function configJsonSchema(platforms: Platforms): Record<string, unknown> {
  // Draft 7 is what the common YAML language server understands best.
  const schema = JSON.parse(JSON.stringify(z.toJSONSchema(Grammar.of(platforms).schema, { io: "input", target: "draft-7" })));
  addNotes(schema, platforms);
  const { available } = platforms;
  const on = (network: "one" | "provider") => oneOf(available.filter((one) => one.network === network).map(({ name }) => name));
  return {
    ...schema,
    title: "Talosmith config",
    allOf: [
      ...available
        .filter((platform) => neededSections(platform).length > 0)
        .map((platform) => when({ platform: oneOf([platform.name]) }, { required: neededSections(platform) })),
      when({ platform: on("one") }, { properties: { network: { required: ["cidr", "gateway"] } } }),
      when({ platform: on("provider") }, { required: ["firewall"] }),
      {
        properties: {
          firewall: { anyOf: [{ required: ["admin"] }, { properties: { enabled: { const: false } }, required: ["enabled"] }] },
        },
      },
    ],
  };
}

function oneOf(names: readonly string[]): Record<string, unknown> {
  return names.length === 1 ? { const: names[0] } : { enum: names };
}

/** A condition of JSON Schema: requires keys when other keys have these values. */
function when(properties: Record<string, unknown>, needed: Record<string, unknown>): Record<string, unknown> {
  // biome-ignore lint/suspicious/noThenProperty: it is JSON Schema's word.
  return { if: { properties }, then: needed };
}

/** Appends the platforms' notes to the descriptions of keys. */
function addNotes(schema: JsonSchema, { available }: Platforms): void {
  for (const { keys } of available)
    for (const [path, note] of Object.entries(keys?.notes ?? {}))
      for (const key of keysBelow(schema, path)) key.description = withNote(key.description ?? "", note);
}

/** The schemas of a path; a setting of nodes also exists under `defaults`. */
function keysBelow(schema: JsonSchema, path: string): JsonSchema[] {
  const [section = "", ...rest] = path.split(".");
  const groups = ["all", "controlplane", "worker"].map((group) => ["defaults", group, ...rest]);
  const ways = section === "nodes[]" ? [["nodes", "[]", ...rest], ...groups] : [[section, ...rest]];
  return ways.flatMap(
    (way) =>
      keyAt(
        schema,
        way.flatMap((step) => (step.endsWith("[]") && step !== "[]" ? [step.slice(0, -2), "[]"] : [step])),
      ) ?? [],
  );
}

function keyAt(schema: JsonSchema, way: readonly string[]): JsonSchema | undefined {
  let here: JsonSchema | undefined = schema;
  for (const step of way) here = step === "[]" ? here?.items : here?.properties?.[step];
  return here;
}

/** Keeps the default last: the reference shows it in a column of its own. */
function withNote(description: string, note: string): string {
  const [, text = description, byDefault = ""] = /^(.*?)( By default .*)$/s.exec(description) ?? [];
  return `${text} ${note}${byDefault}`;
}

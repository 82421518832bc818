import type { Loose } from "../objects.ts";
import { isRecord } from "../patch/merge.ts";

/** The violations of a chart's values.schema.json, with the messages of Helm's library; only keywords that charts use. */
export function schemaProblems(schema: Loose, values: Loose): string[] {
  return check(schema, values, "", schema).map(({ at, says }) => `- at '${at}': ${says}`);
}

interface Problem {
  at: string;
  says: string;
}

function check(schema: Loose, value: Loose, at: string, root: Loose): Problem[] {
  if (schema === true || schema === undefined) return [];
  if (schema === false) return [{ at, says: "false schema" }];
  const say = (says: string): Problem[] => [{ at, says }];
  const problems: Problem[] = [];
  if (typeof schema.$ref === "string") problems.push(...check(resolve(root, schema.$ref), value, at, root));
  if (schema.type !== undefined) {
    const wanted: string[] = [schema.type].flat();
    if (!wanted.some((type) => isOf(type, value))) {
      return [...problems, ...say(`got ${typeOf(value)}, want ${[...wanted].sort().join(" or ")}`)];
    }
  }
  if (Array.isArray(schema.enum) && !schema.enum.some((one: Loose) => JSON.stringify(one) === JSON.stringify(value))) {
    const shown = schema.enum.map((one: Loose) => (typeof one === "string" ? `'${one}'` : JSON.stringify(one)));
    problems.push(...say(shown.length === 1 ? `value must be ${shown[0]}` : `value must be one of ${shown.join(", ")}`));
  }
  if (typeof schema.pattern === "string" && typeof value === "string" && !new RegExp(schema.pattern).test(value))
    problems.push(...say(`'${value}' does not match pattern '${schema.pattern}'`));
  if (typeof schema.minimum === "number" && typeof value === "number" && value < schema.minimum)
    problems.push(...say(`minimum: got ${value}, want ${schema.minimum}`));
  if (Array.isArray(value) && schema.items !== undefined)
    problems.push(...value.flatMap((item, index) => check(schema.items, item, `${at}/${index}`, root)));
  if (isRecord(value)) problems.push(...checkObject(schema, value, at, root));
  if (Array.isArray(schema.anyOf) && !schema.anyOf.some((one: Loose) => check(one, value, at, root).length === 0))
    problems.push(...say("'anyOf' failed"));
  for (const one of schema.allOf ?? []) problems.push(...check(one, value, at, root));
  return problems;
}

function checkObject(schema: Loose, value: Record<string, Loose>, at: string, root: Loose): Problem[] {
  const properties: Record<string, Loose> = schema.properties ?? {};
  const problems: Problem[] = [];
  const missing = (schema.required ?? []).filter((key: string) => !Object.hasOwn(value, key));
  if (missing.length > 0)
    problems.push({ at, says: `missing propert${missing.length === 1 ? "y" : "ies"} ${missing.map(quoted).join(", ")}` });
  const others = Object.keys(value).filter((key) => !Object.hasOwn(properties, key));
  if (schema.additionalProperties === false && others.length > 0)
    problems.push({ at, says: `additional properties ${others.sort().map(quoted).join(", ")} not allowed` });
  for (const key of Object.keys(value)) {
    const its = Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties;
    if (its !== false) problems.push(...check(its, value[key], `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, root));
  }
  return problems;
}

const quoted = (key: string) => `'${key}'`;

function resolve(root: Loose, ref: string): Loose {
  return ref
    .replace(/^#\/?/, "")
    .split("/")
    .filter((part) => part !== "")
    .reduce((at, part) => at?.[part.replaceAll("~1", "/").replaceAll("~0", "~")], root);
}

function typeOf(value: Loose): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

function isOf(type: string, value: Loose): boolean {
  return type === "integer" ? typeof value === "number" && Number.isInteger(value) : typeOf(value) === type;
}

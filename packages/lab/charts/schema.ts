type Values = Readonly<Record<string, unknown>>;

/**
 * A values.schema.json that knows every key of the values, with its type, and no other: as charts have it whose schema is made out of their
 * values. Below a key that is `open` everything is allowed.
 */
export function closedSchema(values: Values, { open }: { open: readonly string[] }): string {
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...objectSchema(values, open),
    additionalProperties: false,
  };
  return `${JSON.stringify({ ...schema, properties: { ...schema.properties, global: globalSchema(values) } }, null, 2)}\n`;
}

/** Helm itself puts a `global` there. */
function globalSchema(values: Values): object {
  return { ...objectSchema((values.global ?? {}) as Values, []), additionalProperties: true };
}

function objectSchema(values: Values, open: readonly string[]): { type: string; properties: Record<string, object> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return { type: "object", properties: Object.fromEntries(entries.map(([key, value]) => [key, schemaOf(key, value, open)])) };
}

function schemaOf(key: string, value: unknown, open: readonly string[]): object {
  if (open.includes(key)) return { type: "object" };
  if (Array.isArray(value)) return { type: "array" };
  if (value === null) return {};
  if (typeof value === "object") return { ...objectSchema(value as Values, open), additionalProperties: key === "image" };
  return { type: typeof value === "number" ? "number" : typeof value };
}

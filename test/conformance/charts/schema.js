/** What a definition's schema has against an object; nothing when the API server would take it and keep all of it. */
export function problemsOf(schema, value, path = "") {
  const here = path || "the object";
  if (schema["x-kubernetes-int-or-string"] || schema["x-kubernetes-preserve-unknown-fields"]) return [];
  if (schema.enum && !schema.enum.includes(value))
    return [`${here} is ${JSON.stringify(value)}, not one of ${schema.enum.join(", ")}`];
  switch (schema.type) {
    case "object":
      return isMap(value) ? mapProblems(schema, value, path) : [`${here} is no map`];
    case "array":
      if (!Array.isArray(value)) return [`${here} is no list`];
      if (value.length < (schema.minItems ?? 0)) return [`${here} is too short`];
      return value.flatMap((item, index) => problemsOf(schema.items, item, `${path}[${index}]`));
    case "string":
      if (typeof value !== "string") return [`${here} is no text`];
      return schema.pattern && !new RegExp(schema.pattern).test(value) ? [`${here} does not match ${schema.pattern}`] : [];
    case "integer":
      return Number.isInteger(value) ? [] : [`${here} is no whole number`];
    case "boolean":
      return typeof value === "boolean" ? [] : [`${here} is neither true nor false`];
    default:
      return [`${here} is of type ${schema.type}, which nobody thought of`];
  }
}

function mapProblems({ properties, additionalProperties, required = [] }, value, path) {
  // A plain map, such as metadata, which the server knows without being told.
  if (!properties && !additionalProperties) return [];
  const missing = required.filter((key) => !Object.hasOwn(value, key)).map((key) => `${path}.${key} is missing`);
  const inside = Object.entries(value).flatMap(([key, item]) => {
    const schema = properties?.[key] ?? additionalProperties;
    return schema ? problemsOf(schema, item, `${path}.${key}`) : [`${path}.${key} is unknown`];
  });
  return [...missing, ...inside];
}

const isMap = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** The part of JSON Schema that zod writes for our schema. */
export interface JsonSchema {
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: string[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
  required?: string[];
}

/** The type of a value in words. */
export function kindOf(json: JsonSchema): string {
  if (json.enum) return words(json.enum);
  if (json.anyOf) return [...new Set(json.anyOf.map(kindOf))].join(" or ");
  if (json.properties) return `a section: ${Object.keys(json.properties).join(", ")}`;
  if (json.items?.properties) return kindOf(json.items).replace("a section", "a list of sections");
  if (json.items) return json.items.anyOf ? `a list, each ${kindOf(json.items)}` : `a list of ${kindOf(json.items)}`;
  if (Array.isArray(json.type)) return json.type.map((type) => kindOf({ type })).join(" or ");
  const kinds: Record<string, string> = {
    boolean: "`true` or `false`",
    integer: "a whole number",
    object: "a map",
    string: "text",
  };
  return kinds[json.type ?? ""] ?? "anything";
}

export function words(all: readonly string[]): string {
  const quoted = all.map((word) => `\`${word}\``);
  return [quoted.slice(0, -1).join(", "), ...quoted.slice(-1)].filter(Boolean).join(" or ");
}

/** One row of a table. */
export function cells(all: readonly string[]): string {
  return `| ${all.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** "string", "integer", "boolean", "any"; "!" after it: required. A list has one shape, a map only the key "*". */
export type Shape = string | readonly [Shape] | { readonly [key: string]: Shape };

export interface Definition {
  group: string;
  kind: string;
  plural?: string;
  scope?: "Namespaced" | "Cluster";
  /** The last one is stored. */
  versions?: readonly string[];
  short?: readonly string[];
  /** "any" unless told. */
  spec?: Shape;
  /** Keys beside spec and status. */
  beside?: Readonly<Record<string, Shape>>;
  /** "plain": without the subresource. */
  status?: boolean | "plain";
  annotations?: Readonly<Record<string, string>>;
  labels?: Readonly<Record<string, string>>;
}

const ANY = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** A CustomResourceDefinition with as much of a schema as the lab needs: keys it does not know are pruned, as by the real ones. */
export function definition(of: Definition): object {
  const { group, kind, scope = "Namespaced", versions = ["v1"], short, spec = "any", status = true, annotations, labels } = of;
  const plural = of.plural ?? `${kind.toLowerCase()}s`;
  const beside = Object.entries(of.beside ?? {}).map(([key, shape]) => [key, schemaOf(shape)]);
  const properties = { spec: schemaOf(spec), ...(status !== false && { status: ANY }), ...Object.fromEntries(beside) };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, ...(annotations && { annotations }), ...(labels && { labels }) },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), ...(short && { shortNames: short }) },
      scope,
      versions: versions.map((name, at) => ({
        name,
        served: true,
        storage: at === versions.length - 1,
        ...(status === true && { subresources: { status: {} } }),
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { apiVersion: { type: "string" }, kind: { type: "string" }, metadata: { type: "object" }, ...properties },
          },
        },
      })),
    },
  };
}

function schemaOf(shape: Shape): object {
  if (typeof shape === "string") {
    const type = shape.replace("!", "");
    return type === "any" ? ANY : type === "int-or-string" ? { "x-kubernetes-int-or-string": true } : { type };
  }
  if (Array.isArray(shape)) return { type: "array", items: schemaOf(shape[0]) };
  const entries = Object.entries(shape as Readonly<Record<string, Shape>>);
  const [first] = entries;
  if (first && first[0] === "*") return { type: "object", additionalProperties: schemaOf(first[1]) };
  const required = entries.flatMap(([key, inner]) =>
    key.endsWith("!") || (typeof inner === "string" && inner.endsWith("!")) ? [key.replace("!", "")] : [],
  );
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([key, inner]) => [key.replace("!", ""), schemaOf(inner)])),
    ...(required.length > 0 && { required }),
  };
}

/** Several in one file, as JSON, which is YAML, too. */
export function definitions(all: readonly Definition[]): string {
  return all.map((one) => `---\n${JSON.stringify(definition(one))}\n`).join("");
}

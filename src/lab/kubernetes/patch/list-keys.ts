/**
 * By what the items of a list are told apart, by the list's field name: enough for the kinds we serve, without their whole schemas. What is not
 * here is atomic: one value.
 */
const KEYS: Record<string, readonly string[]> = {
  containers: ["name"],
  initContainers: ["name"],
  ephemeralContainers: ["name"],
  volumes: ["name"],
  env: ["name"],
  imagePullSecrets: ["name"],
  secrets: ["name"],
  volumeMounts: ["mountPath"],
  volumeDevices: ["devicePath"],
  conditions: ["type"],
  ownerReferences: ["uid"],
  hostAliases: ["ip"],
  topologySpreadConstraints: ["topologyKey", "whenUnsatisfiable"],
  webhooks: ["name"],
};

/** What two parties may fill together as a set. */
const SETS = new Set(["finalizers"]);

export type ListType = { is: "map"; keys: readonly string[] } | { is: "set" } | { is: "atomic" };

/** Of a list under this path (field names, without list items). Lists of custom resources are atomic but for those of their metadata. */
export function listType(path: readonly string[], items: readonly unknown[], custom: boolean): ListType {
  const name = path.at(-1) ?? "";
  if (custom && path[0] !== "metadata") return { is: "atomic" };
  if (SETS.has(name)) return { is: "set" };
  const keys = name === "ports" ? portKeys(path) : KEYS[name];
  if (!keys || !items.every((item) => typeof item === "object" && item !== null && !Array.isArray(item))) return { is: "atomic" };
  return { is: "map", keys };
}

function portKeys(path: readonly string[]): readonly string[] | undefined {
  if (path.at(-2)?.toLowerCase().endsWith("containers")) return ["containerPort", "protocol"];
  return path.length === 2 && path[0] === "spec" ? ["port", "protocol"] : undefined;
}

/** A strategic merge patch goes by one key, also where server-side apply needs two; and merges taints, which apply does not. */
export function mergeKey(path: readonly string[]): string | undefined {
  const name = path.at(-1) ?? "";
  if (name === "taints") return "key";
  if (name === "addresses") return "type";
  return (name === "ports" ? portKeys(path) : KEYS[name])?.[0];
}

export function mergesAsSet(path: readonly string[]): boolean {
  return SETS.has(path.at(-1) ?? "");
}

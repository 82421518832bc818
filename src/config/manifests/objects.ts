import { find, locate, type Path, type Tree } from "@talosmith/lib/yaml/tree.ts";
import type { Manifest } from "../../catalog/addons/addon.ts";
import type { Problem } from "../findings.ts";
import { manifestValue } from "./manifest-values.ts";

/** The objects of a document, and what is wrong with it. */
export function objectsOf(tree: Tree): { objects: Manifest[]; problems: Problem[] } {
  if (tree.kind !== "map") return { objects: [], problems: [noObject(tree)] };
  const items = find(tree, ["items"]);
  if (/List$/.test(textAt(tree, ["kind"]) ?? "") && find(tree, ["metadata", "name"]) === undefined && items?.kind === "list") {
    const inner = items.items.map(objectsOf);
    return { objects: inner.flatMap(({ objects }) => objects), problems: inner.flatMap(({ problems }) => problems) };
  }
  const problems: Problem[] = [...lacking(tree)];
  const value = manifestValue(tree, (at) =>
    problems.push({
      code: "CONFIG_VALUE",
      at,
      message: "a manifest contains an invalid number",
      hint: "put it in quotes, or write a finite number",
    }),
  );
  return { objects: problems.length === 0 ? [value as unknown as Manifest] : [], problems };
}

/** Checks that the fields that identify an object exist and are texts. */
function* lacking(tree: Tree): Generator<Problem> {
  const problem = (path: Path, message: string, hint: string): Problem => ({
    code: "CONFIG_VALUE",
    at: locate(tree, path, "value"),
    message,
    hint,
  });
  if (find(tree, ["sops"]) !== undefined)
    yield problem(
      ["sops"],
      "a manifest is encrypted with SOPS and would be applied encrypted",
      "put it into the repository that Flux follows, which decrypts it; or write the Secret under addons.secrets",
    );
  for (const [path, such] of NEEDED) {
    const value = find(tree, path);
    if (textAt(tree, path)) continue;
    const key = path.join(".");
    const generated = key === "metadata.name" && find(tree, ["metadata", "generateName"]) !== undefined;
    yield problem(
      path,
      `a manifest has ${value === undefined ? "no" : "an unusable"} ${key}`,
      generated ? "replace generateName with name: the object is applied repeatedly" : `add ${key}, such as ${such}`,
    );
  }
  const namespace = find(tree, ["metadata", "namespace"]);
  if (namespace !== undefined && !textAt(tree, ["metadata", "namespace"]))
    yield problem(["metadata", "namespace"], "a manifest has an unusable metadata.namespace", "write a name, or remove it");
}

const NEEDED: readonly [Path, string][] = [
  [["apiVersion"], "apiVersion: v1"],
  [["kind"], "kind: ConfigMap"],
  [["metadata", "name"], "metadata: { name: settings }"],
];

function textAt(tree: Tree, path: Path): string | undefined {
  const found = find(tree, path);
  return found?.kind === "scalar" && typeof found.value === "string" && found.value !== "" ? found.value : undefined;
}

function noObject(tree: Tree): Problem {
  return {
    code: "CONFIG_VALUE",
    at: tree.at,
    message: `a manifest must be a section of keys, not ${tree.kind === "list" ? "a list" : "a single value"}`,
    hint: "write objects with apiVersion, kind and metadata, several of them with --- between",
  };
}

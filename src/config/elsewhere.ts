import { find, type Path, type Tree } from "@talosmith/lib/yaml/tree.ts";
import type { ConfigPlatform, PlatformKeys, Platforms } from "./platform.ts";

/** A key of another platform in the file. */
export interface Foreign {
  readonly path: Path;
  readonly kind: "section" | "setting" | "card" | "image" | "addon" | "refused";
  readonly key: string;
  /** The platforms that have it. */
  readonly of: readonly ConfigPlatform[];
}

/** Finds the keys of other platforms. Only their presence is a problem, whatever their values. */
export function foreignKeys(tree: Tree, own: ConfigPlatform | undefined, { available }: Platforms): Foreign[] {
  if (own === undefined) return [];
  const written = (found: Foreign[]) => found.filter(({ path }) => find(tree, path) !== undefined);
  return [
    ...available.filter((other) => other !== own).flatMap((other) => written(keysOf(other, tree))),
    ...written(refused(tree, own, available)),
  ];
}

function keysOf(other: ConfigPlatform, tree: Tree): Foreign[] {
  const { keys = {}, addons = {} } = other;
  const of = [other];
  const names = (part: Exclude<keyof PlatformKeys, "notes" | "without" | "instead">) => Object.keys(keys[part] ?? {});
  return [
    ...names("sections").map((key): Foreign => ({ path: [key], kind: "section", key, of })),
    ...names("settings").flatMap((key) => settingPlaces(tree, key).map((path): Foreign => ({ path, kind: "setting", key, of }))),
    ...names("node").flatMap((key) => nodePlaces(tree, key).map((path): Foreign => ({ path, kind: "setting", key, of }))),
    ...cards(tree).flatMap((card) => names("nics").map((key): Foreign => ({ path: [...card, key], kind: "card", key, of }))),
    ...names("image").map((key): Foreign => ({ path: ["image", key], kind: "image", key, of })),
    ...Object.keys(addons).map((key): Foreign => ({ path: ["addons", key], kind: "addon", key, of })),
  ];
}

function cards(tree: Tree): Path[] {
  return settingPlaces(tree, "nics").flatMap((path) => {
    const nics = find(tree, path);
    return nics?.kind === "list" ? nics.items.map((_, index) => [...path, index]) : [];
  });
}

/** The key for a prefix length, refused where all nodes are in one network. */
export const PREFIX = "prefix";

function refused(tree: Tree, platform: ConfigPlatform, available: readonly ConfigPlatform[]): Foreign[] {
  const having = (key: string) => available.filter(({ keys }) => !Object.hasOwn(keys?.without ?? {}, key));
  const all = Object.keys(platform.keys?.without ?? {}).map((key) => ({ key, of: having(key) }));
  const atProvider = available.filter(({ network }) => network === "provider");
  if (platform.network === "one") all.push({ key: PREFIX, of: atProvider });
  return all.flatMap(({ key, of }) =>
    (key === PREFIX ? nodePlaces : settingPlaces)(tree, key).map((path): Foreign => ({ path, kind: "refused", key, of })),
  );
}

/** The paths of a setting of nodes in a file, under `defaults` and in `nodes`. */
function settingPlaces(tree: Tree, key: string): Path[] {
  const groups = ["all", "controlplane", "worker"].map((group): Path => ["defaults", group, key]);
  return [...groups.filter((path) => find(tree, path) !== undefined), ...nodePlaces(tree, key)];
}

/** The paths of a key in entries of `nodes`. */
function nodePlaces(tree: Tree, key: string): Path[] {
  const nodes = find(tree, ["nodes"]);
  const entries = nodes?.kind === "list" ? nodes.items.map((_, index): Path => ["nodes", index, key]) : [];
  return entries.filter((path) => find(tree, path) !== undefined);
}

import type { Place } from "./source.ts";

/** YAML values with their positions in the file. Aliases are already replaced by their values. */
export type Tree = ScalarTree | MapTree | ListTree;

export interface ScalarTree {
  readonly kind: "scalar";
  readonly at: Place;
  readonly value: string | number | boolean | null;
  /** Position of the text itself, for a value reached through an alias. */
  readonly definedAt?: Place;
  /** The text as written, when part of it has been replaced since. */
  readonly written?: string;
}

export interface MapTree {
  readonly kind: "map";
  readonly at: Place;
  readonly entries: ReadonlyMap<string, Entry>;
}

export interface Entry {
  readonly key: Place;
  readonly value: Tree;
}

export interface ListTree {
  readonly kind: "list";
  readonly at: Place;
  readonly items: readonly Tree[];
}

export type Path = readonly (string | number)[];

export function find(tree: Tree, path: Path): Tree | undefined {
  let here: Tree | undefined = tree;
  for (const step of path) here = here === undefined ? undefined : child(here, step);
  return here;
}

function child(tree: Tree, step: string | number): Tree | undefined {
  if (tree.kind === "map") return tree.entries.get(String(step))?.value;
  if (tree.kind === "list" && typeof step === "number") return tree.items[step];
  return undefined;
}

/** The position of a value or its key; when it does not exist, of the nearest existing section. */
export function locate(tree: Tree, path: Path, on: "key" | "value"): Place {
  let place = tree.at;
  let here: Tree = tree;
  for (const [index, step] of path.entries()) {
    const next = child(here, step);
    if (next === undefined) return place;
    const key = here.kind === "map" ? here.entries.get(String(step))?.key : undefined;
    const last = index === path.length - 1;
    // A missing value is reported at the key of its section; an empty value has no position of its own.
    const useKey = key !== undefined && (!last || on === "key" || next.at.start === next.at.end);
    place = useKey ? key : next.at;
    here = next;
  }
  return place;
}

export function plain(tree: Tree): unknown {
  if (tree.kind === "scalar") return tree.value;
  if (tree.kind === "list") return tree.items.map(plain);
  // An assignment to "__proto__" would not create a key; fromEntries does.
  return Object.fromEntries([...tree.entries].map(([key, entry]) => [key, plain(entry.value)]));
}

/** Merges maps key by key; any other value in `over` replaces the one in `base`. */
export function mergeTrees(base: Tree, over: Tree): Tree {
  if (base.kind !== "map" || over.kind !== "map") return over;
  const entries = new Map(base.entries);
  for (const [key, entry] of over.entries) {
    const below = entries.get(key);
    entries.set(key, below === undefined ? entry : { key: entry.key, value: mergeTrees(below.value, entry.value) });
  }
  return { kind: "map", at: over.at, entries };
}

export function mapScalars(tree: Tree, change: (scalar: ScalarTree, path: Path) => ScalarTree, path: Path = []): Tree {
  if (tree.kind === "scalar") return change(tree, path);
  if (tree.kind === "list")
    return { ...tree, items: tree.items.map((item, index) => mapScalars(item, change, [...path, index])) };
  const entries = new Map<string, Entry>();
  for (const [key, entry] of tree.entries) entries.set(key, { ...entry, value: mapScalars(entry.value, change, [...path, key]) });
  return { ...tree, entries };
}

export function eachScalar(tree: Tree, visit: (scalar: ScalarTree, path: Path) => void): void {
  mapScalars(tree, (scalar, path) => {
    visit(scalar, path);
    return scalar;
  });
}

/** The notation that people use: nodes[1].ip */
export function pathName(path: Path): string {
  return path.map((step, index) => (typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`)).join("");
}

const LONGEST_NAME = 200;

/** A path name for messages: the middle of a very long one is cut. */
export function shortPathName(path: Path): string {
  const name = pathName(path);
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME / 2)}…${name.slice(-LONGEST_NAME / 2)}`;
}

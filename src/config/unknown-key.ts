import { type Path, pathName, type Tree } from "@talosmith/lib/yaml/tree.ts";
import { foreignKeys } from "./elsewhere.ts";
import type { Subject } from "./issues.ts";
import { anyOf, FEW, keyHint, nearest, nearestWords, sameWord } from "./nearest.ts";

/** The keys that an unknown key most likely means, nearest first; those of other platforms only when no own key is near. */
export function meantKeys(file: Subject, path: Path, key: string): string[] {
  const { own, foreign } = keysAt(file, path);
  const near = nearestWords(key, own);
  return near.length > 0 ? near : nearestWords(key, [...foreign.keys()]);
}

/** The hint for an unknown key: a key of this section, the key's right place, or the keys known here. */
export function unknownKeyHint(file: Subject, path: Path, key: string): string {
  const { own, foreign } = keysAt(file, path);
  const same = sameWord(key, own);
  if (same !== undefined) return `did you mean ${same}?`;
  const typo = nearest(key, own);
  const places = placesOf(file, key);
  if (typo !== undefined) return `did you mean ${anyOf([typo, ...places].slice(0, FEW))}?`;
  if (places.length > 0) return `it belongs elsewhere: ${anyOf(places)}`;
  const near = nearestWords(key, own);
  if (near.length > 0) return `did you mean ${anyOf(near)}?`;
  const there = placesOfNearest(file, key);
  if (there.length > 0) return `did you mean ${anyOf(there)}?`;
  const [other] = nearestWords(key, [...foreign.keys()]);
  if (other !== undefined) return `did you mean ${other}? Only platform ${anyOf(foreign.get(other) ?? [])} has it`;
  const available = file.grammar.keysAt(path, "available");
  return keyHint(
    key,
    own.filter((one) => available.includes(one)),
  );
}

/** The keys of a section, apart from those of other platforms, which come with the names of these. */
function keysAt({ grammar, platform, tree }: Subject, path: Path): { own: string[]; foreign: Map<string, string[]> } {
  const all = grammar.keysAt(path, "all");
  const trial = path.reduceRight((inner: Tree, step) => around(step, inner), withKeys(tree, all));
  const foreign = new Map(
    foreignKeys(trial, platform, grammar.platforms)
      .filter((one) => one.path.length === path.length + 1)
      .map(({ key, of }) => [key, of.map(({ name }) => name)]),
  );
  return { own: all.filter((key) => !foreign.has(key)), foreign };
}

function withKeys({ at }: Tree, keys: readonly string[]): Tree {
  return { kind: "map", at, entries: new Map(keys.map((key) => [key, { key: at, value: { kind: "scalar", at, value: "" } }])) };
}

/** A tree with only this in it. Items of a list are alike, so it is the first. */
function around(step: string | number, value: Tree): Tree {
  const { at } = value;
  if (typeof step === "number") return { kind: "list", at, items: [value] };
  return { kind: "map", at, entries: new Map([[step, { key: at, value }]]) };
}

/** Places elsewhere with this key, or whose names join to it: "cluster_name" is cluster.name. */
function placesOf(file: Subject, key: string): string[] {
  const joined = key.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase();
  return ownPlaces(file, (path) => {
    const name = path.filter((step) => typeof step === "string");
    return name.at(-1) === key || (name.length > 1 && name.join("").toLowerCase() === joined);
  });
}

function placesOfNearest(file: Subject, key: string): string[] {
  const all = file.grammar.places().map((path) => String(path.at(-1)));
  const near = nearest(key, [...new Set(all)]);
  return near === undefined ? [] : ownPlaces(file, (path) => path.at(-1) === near);
}

function ownPlaces(file: Subject, matches: (path: Path) => boolean): string[] {
  return file.grammar
    .places()
    .filter(matches)
    .filter((path) => !keysAt(file, path.slice(0, -1)).foreign.has(String(path.at(-1))))
    .slice(0, FEW)
    .map((path) => pathName(path).replaceAll("[0]", "[]"));
}

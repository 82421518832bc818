import type { Place } from "@talosmith/lib/yaml/source.ts";
import { type Entry, find, type MapTree, type Path } from "@talosmith/lib/yaml/tree.ts";

type Growing = Map<string, Entry | { key: Place; inner: Growing }>;

/** Builds a tree of sections from values that were written elsewhere. A section's place is that of the first value in it. */
export class Sections {
  readonly #root: Growing = new Map();

  constructor(readonly at: Place) {}

  put(path: Path, entry: Entry): void {
    let here = this.#root;
    for (const step of path.slice(0, -1)) {
      const known = here.get(String(step));
      const inner: Growing = known !== undefined && "inner" in known ? known.inner : new Map();
      if (known === undefined || !("inner" in known)) here.set(String(step), { key: entry.key, inner });
      here = inner;
    }
    here.set(String(path.at(-1)), entry);
  }

  putIfAbsent(path: Path, entry: Entry): void {
    if (find(this.tree(), path) === undefined) this.put(path, entry);
  }

  tree(): MapTree {
    return built(this.#root, this.at);
  }
}

function built(growing: Growing, at: Place): MapTree {
  const entries = [...growing].map(([name, one]): [string, Entry] => [
    name,
    "inner" in one ? { key: one.key, value: built(one.inner, one.key) } : one,
  ]);
  return { kind: "map", at, entries: new Map(entries) };
}

import { isAlias, isMap, isPair, isScalar, isSeq, type Node, type Pair, type ParsedNode, type Scalar } from "yaml";
import type { Parsed, YamlProblem } from "./parse.ts";
import { type Place, position, type Source } from "./source.ts";
import type { Entry, MapTree, ScalarTree, Tree } from "./tree.ts";

/** A few aliases of aliases can expand to billions of values; this many is more than any real file has. */
const MOST_VALUES = 50_000;

export function buildTree(source: Source, contents: ParsedNode): Parsed {
  const builder = new TreeBuilder(source);
  const tree = builder.build(contents, 0);
  return builder.tooMany || tree === undefined ? { problems: builder.problems } : { tree, problems: builder.problems };
}

class TreeBuilder {
  readonly problems: YamlProblem[] = [];
  tooMany = false;
  #values = 0;
  readonly #anchors = new Map<string, Node>();
  readonly #open = new Set<Node>();

  constructor(readonly source: Source) {}

  build(node: Node, depth: number): Tree | undefined {
    if (this.#exhausted(node)) return undefined;
    if (isAlias(node)) return this.#alias(node.source, node, depth);
    if ("anchor" in node && node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return this.#scalar(node);
    this.#open.add(node);
    const tree = isMap(node) ? this.#map(node.items, node, depth) : isSeq(node) ? this.#list(node.items, node, depth) : undefined;
    this.#open.delete(node);
    return tree;
  }

  #exhausted(node: Node): boolean {
    this.#values += 1;
    if (this.#values <= MOST_VALUES || this.tooMany) return this.tooMany;
    this.tooMany = true;
    this.#problem(this.#place(node), {
      message: "this expands to too many values",
      hint: `use fewer aliases of aliases: the file expands to more than ${MOST_VALUES} values`,
    });
    return true;
  }

  #alias(name: string, alias: Node, depth: number): Tree | undefined {
    const at = this.#place(alias);
    const target = this.#anchors.get(name);
    if (target === undefined) {
      this.#problem(at, {
        message: `*${name} refers to no anchor`,
        hint: `write &${name} before the value it stands for, above this line`,
      });
      return undefined;
    }
    // Aliases can nest deeper than the text.
    if (this.#open.has(target) || depth > 256) {
      this.#problem(at, { message: `*${name} contains itself`, hint: "write the value out instead" });
      return undefined;
    }
    const tree = this.build(target, depth + 1);
    if (tree === undefined) return undefined;
    return tree.kind === "scalar" ? { ...tree, at, definedAt: tree.definedAt ?? tree.at } : { ...tree, at };
  }

  #scalar(node: Scalar): ScalarTree {
    const { value } = node;
    const known = typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null;
    return { kind: "scalar", at: this.#place(node), value: known ? value : String(value) };
  }

  #list(items: readonly unknown[], node: Node, depth: number): Tree {
    const built = items.map((item) => (isPair(item) ? this.#map([item], node, depth) : this.build(item as Node, depth + 1)));
    return { kind: "list", at: this.#place(node), items: built.filter((item) => item !== undefined) };
  }

  #map(pairs: readonly Pair[], node: Node, depth: number): MapTree {
    const entries = new Map<string, Entry>();
    const inherited: MapTree[] = [];
    for (const pair of pairs) {
      const key = this.#key(pair, node);
      if (key === undefined) continue;
      const first = entries.get(key.name);
      if (first !== undefined) {
        const { line } = position(this.source, first.key.start);
        this.#problem(key.at, {
          message: `${key.name} is written twice`,
          hint: `remove one of the two: the other is in line ${line}`,
        });
      }
      const value = pair.value === null ? this.#nothing(key.at) : this.build(pair.value as Node, depth + 1);
      if (value === undefined) continue;
      if (key.merges) for (const map of this.#inherited(value)) inherited.push(map);
      else if (first === undefined) entries.set(key.name, { key: key.at, value });
    }
    for (const map of inherited) for (const [name, entry] of map.entries) if (!entries.has(name)) entries.set(name, entry);
    return { kind: "map", at: this.#place(node), entries };
  }

  #nothing(at: Place): ScalarTree {
    return { kind: "scalar", at: { ...at, start: at.end }, value: null };
  }

  /** Takes over the keys of another map: `<<: *base`. */
  #inherited(value: Tree): MapTree[] {
    const maps = value.kind === "list" ? value.items : [value];
    const wrong = maps.find((map) => map.kind !== "map");
    if (wrong !== undefined)
      this.#problem(wrong.at, { message: "<< takes only maps", hint: "write << in front of an alias of a map, as in <<: *base" });
    return maps.filter((map) => map.kind === "map");
  }

  /** A quoted << is an ordinary key. */
  #key(pair: Pair, map: Node): { name: string; at: Place; merges: boolean } | undefined {
    const { key } = pair;
    if (isScalar(key) && key.value !== null) {
      if (key.anchor !== undefined) this.#anchors.set(key.anchor, key);
      const name = typeof key.value === "string" ? key.value : (key.source ?? String(key.value));
      return { name, at: this.#place(key), merges: name === "<<" && key.type === "PLAIN" };
    }
    const at = this.#place(key !== null && typeof key === "object" && "range" in key ? (key as Node) : map);
    this.#problem(at, { message: "a key must be a plain word", hint: "write key: value" });
    return undefined;
  }

  #place(node: Node): Place {
    const [start, end] = node.range ?? [0, 0];
    return { source: this.source, start, end };
  }

  #problem(at: Place, problem: { message: string; hint: string }): void {
    this.problems.push({ at, ...problem });
  }
}

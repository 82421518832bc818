import { after, type Ip, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";
import { find, type Path, type Tree } from "@talosmith/lib/yaml/tree.ts";
import type { Role } from "./config.ts";
import type { Written } from "./schema/schema.ts";
import type { DeepPartial, Draft } from "./shape.ts";

type WrittenNode = Written["nodes"][number];
export type DraftNode = DeepPartial<WrittenNode>;

/** An entry of `nodes` with what the defaults add to it. `N`: with the keys of a platform. */
export interface Pool<N extends DraftNode = DraftNode> {
  readonly index: number;
  readonly role: Role | undefined;
  readonly own: N;
  /** Own settings over those of the role over those of all. */
  readonly settings: N;
  readonly nodes: readonly PoolNode[];
  /** Where a key is written: on the entry, else in the defaults, else the entry itself. */
  origin(key: string): Path;
  /** All values of a key, for settings that are combined: those for all nodes first, the entry's own last. */
  everywhere<K extends keyof N>(key: K): readonly Said<N, K>[];
}

export interface Said<N extends DraftNode, K extends keyof N> {
  readonly path: Path;
  readonly value: NonNullable<N[K]>;
}

/** One node of a pool; what the file does not say, or says wrongly, is undefined. */
export interface PoolNode {
  readonly name: string | undefined;
  /** In the order of the networks. */
  readonly addresses: readonly (Ip | undefined)[];
  /** Their prefix lengths, where the node says them itself. */
  readonly prefixes: readonly (number | undefined)[];
}

/** Limits the nodes of a config, so that a typing error in a count does not create millions. */
export const MOST_NODES = 5000;

export function poolsOf(draft: Draft): Pool[] {
  const pools = (draft.nodes ?? []).flatMap((own, index) => (own === undefined ? [] : [{ own, index }]));
  const total = pools.reduce((sum, { own }) => sum + (own.count ?? 1), 0);
  return total > MOST_NODES ? [] : pools.map(({ own, index }) => poolOf(draft, own, index));
}

function poolOf(draft: Draft, own: DraftNode, index: number): Pool {
  const { role } = own;
  const layers: [Path, DraftNode | undefined][] = [
    [["defaults", "all"], draft.defaults?.all],
    ...(role === undefined ? [] : ([[["defaults", role], draft.defaults?.[role]]] as [Path, DraftNode | undefined][])),
    [["nodes", index], own],
  ];
  return {
    index,
    role,
    own,
    settings: Object.assign({}, ...layers.map(([, layer]) => layer)) as DraftNode,
    nodes: nodesOf(own),
    origin(key) {
      const found = layers.findLast(([, layer]) => layer !== undefined && Object.hasOwn(layer, key));
      return found === undefined ? ["nodes", index] : [...found[0], key];
    },
    everywhere<K extends keyof DraftNode>(key: K) {
      return layers.flatMap(([path, layer]): Said<DraftNode, K>[] => {
        const value = layer?.[key];
        return value === undefined ? [] : [{ path: [...path, key], value: value as NonNullable<DraftNode[K]> }];
      });
    },
  };
}

/** Returns a value or list of values as a list. */
export function listed<T>(value: T | readonly T[] | undefined): readonly T[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value as T];
}

/** The path of one of several values, which may also be written without a list. */
export function itemPath(tree: Tree, path: Path, index: number): Path {
  return find(tree, path)?.kind === "list" ? [...path, index] : path;
}

/** The nodes of a pool: with `count`, names get a number and addresses count up. */
function nodesOf(own: DraftNode): PoolNode[] {
  const written = listed(own.ip);
  const first = written.map((text) => (text === undefined ? undefined : (parseNetwork(text)?.address ?? parseIp(text))));
  const prefixes = written.map((text, index) => parseNetwork(text ?? "")?.prefix ?? (index === 0 ? own.prefix : undefined));
  const { name, count } = own;
  if (count === undefined) return [{ name, addresses: first, prefixes }];
  return Array.from({ length: count }, (_, offset) => ({
    name: name === undefined ? undefined : `${name}-${offset + 1}`,
    addresses: first.map((address) => (address === undefined ? undefined : after(address, offset))),
    prefixes,
  }));
}

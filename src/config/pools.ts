import { parseIpv4 } from "../lib/cidr.ts";
import type { Path } from "../lib/yaml/tree.ts";
import type { Role } from "./config.ts";
import type { Written } from "./schema/schema.ts";
import type { DeepPartial, Draft } from "./shape.ts";

type WrittenNode = Written["nodes"][number];
type DraftNode = DeepPartial<WrittenNode>;

/** An entry of `nodes` with what the defaults add to it. */
export interface Pool {
  readonly index: number;
  readonly role: Role | undefined;
  readonly own: DraftNode;
  /** Own settings over those of the role over those of all. */
  readonly settings: DraftNode;
  readonly nodes: readonly PoolNode[];
  /** Where a key is written: on the entry, else in the defaults, else the entry itself. */
  origin(key: string): Path;
}

/** One node of a pool; what the file does not say, or says wrongly, is undefined. */
export interface PoolNode {
  readonly name: string | undefined;
  readonly address: number | undefined;
  readonly vmid: number | undefined;
}

/** Far more than Talos is run with; a slip in a few counts must not make millions. */
export const MOST_NODES = 5000;

export function poolsOf(draft: Draft): Pool[] {
  const pools = (draft.nodes ?? []).flatMap((own, index) => (own === undefined ? [] : [{ own, index }]));
  const total = pools.reduce((sum, { own }) => sum + (own.count ?? 1), 0);
  return total > MOST_NODES ? [] : pools.map(({ own, index }) => poolOf(draft, own, index));
}

function poolOf(draft: Draft, own: DraftNode, index: number): Pool {
  const { role } = own;
  const layers: [Path, DraftNode | undefined][] = [
    [["nodes", index], own],
    ...(role === undefined ? [] : ([[["defaults", role], draft.defaults?.[role]]] as [Path, DraftNode | undefined][])),
    [["defaults", "all"], draft.defaults?.all],
  ];
  return {
    index,
    role,
    own,
    settings: Object.assign({}, ...layers.map(([, layer]) => layer).reverse()) as DraftNode,
    nodes: nodesOf(own),
    origin(key) {
      const found = layers.find(([, layer]) => layer !== undefined && Object.hasOwn(layer, key));
      return found === undefined ? ["nodes", index] : [...found[0], key];
    },
  };
}

/** With `count`, names get a number and addresses and VM ids count up; without, everything stands as it is. */
function nodesOf(own: DraftNode): PoolNode[] {
  const address = own.ip === undefined ? undefined : parseIpv4(own.ip);
  const { name, count, vmid } = own;
  if (count === undefined) return [{ name, address, vmid }];
  return Array.from({ length: count }, (_, offset) => ({
    name: name === undefined ? undefined : `${name}-${offset + 1}`,
    address: address === undefined ? undefined : address + offset,
    vmid: vmid === undefined ? undefined : vmid + offset,
  }));
}

import type { TalosNode } from "./talos-node.ts";
import type { WaitingNode } from "./talos-nodes.ts";

const STREAMS = ["watch", "events", "logs", "dmesg", "etcdSnapshot"] as const satisfies readonly (keyof TalosNode)[];
const CALLS = [
  ...["version", "hostname", "memoryBytes", "time", "disks", "bootId", "certificateEnds", "members", "machineConfigs"],
  ...["apply", "services", "restartService", "kubeconfig", "reboot", "shutdown", "reset", "wipePartition", "resource"],
  ...["resources", "bootstrap", "etcdMembers", "etcdStatus", "etcdAlarms", "disarmEtcd", "forfeitLeadership", "leaveEtcd"],
  ...["removeEtcdMember", "hasEtcdData"],
] as const satisfies readonly (keyof TalosNode)[];
type Listed = (typeof CALLS | typeof STREAMS)[number] | "address";

const WAITING = ["version", "arch", "hardware", "apply"] as const satisfies readonly (keyof WaitingNode)[];

/** A node whose calls load the gRPC client first. */
export function deferredNode(address: string, load: () => Promise<TalosNode>): TalosNode {
  const node: Pick<TalosNode, Listed> = { address, ...calls(load, CALLS), ...streams(load, STREAMS) };
  return node;
}

/** A node in maintenance mode whose calls load the gRPC client first. */
export function deferredWaitingNode(load: () => Promise<WaitingNode>): WaitingNode {
  return calls(load, WAITING);
}

type Method<R> = (...args: unknown[]) => R;

function calls<T, K extends keyof T & string>(load: () => Promise<T>, names: readonly K[]): Pick<T, K> {
  const call =
    (name: K) =>
    async (...args: unknown[]) => {
      const node = (await load()) as Record<K, Method<Promise<unknown>>>;
      return node[name](...args);
    };
  return Object.fromEntries(names.map((name) => [name, call(name)])) as Pick<T, K>;
}

function streams<T, K extends keyof T & string>(load: () => Promise<T>, names: readonly K[]): Pick<T, K> {
  const stream = (name: K) =>
    async function* (...args: unknown[]) {
      const node = (await load()) as Record<K, Method<AsyncIterable<unknown>>>;
      yield* node[name](...args);
    };
  return Object.fromEntries(names.map((name) => [name, stream(name)])) as Pick<T, K>;
}

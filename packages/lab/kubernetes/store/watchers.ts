import type { Lab } from "../../kernel/kernel.ts";
import type { SimulatedCluster } from "../cluster.ts";
import type { ClusterState, HistoryEntry } from "../state.ts";

/** A listener on an open connection. Connections are not plain data: they are not part of the state, and end with their lab. */
export interface Watcher {
  /** The cluster's state when the watch began: a restored lab has another state object, and does not notify this watcher. */
  state: ClusterState;
  resource: string;
  tell(entry: HistoryEntry): void;
  end(): void;
}

const watchers = new WeakMap<Lab, Set<Watcher>>();

export function addWatcher(lab: Lab, watcher: Watcher): () => void {
  const all = watchers.get(lab) ?? new Set();
  watchers.set(lab, all);
  all.add(watcher);
  return () => all.delete(watcher);
}

export function tellWatchers({ lab, state }: SimulatedCluster, entry: HistoryEntry): void {
  for (const watcher of watchers.get(lab) ?? []) {
    if (watcher.resource !== entry.resource) continue;
    if (watcher.state === state) watcher.tell(entry);
    else if (!isLiving(lab, watcher.state)) watcher.end();
  }
}

function isLiving(lab: Lab, state: ClusterState): boolean {
  return Object.values(lab.state<{ clusters: Record<string, ClusterState> }>("kubernetes").clusters).includes(state);
}

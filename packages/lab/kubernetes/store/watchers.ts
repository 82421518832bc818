import type { Lab } from "../../kernel/kernel.ts";
import type { Cluster } from "../cluster.ts";
import type { ClusterState, HistoryEntry } from "../state.ts";

/** Somebody who listens on an open connection. Connections are no data: they live outside the state and end with their lab. */
export interface Watcher {
  /** Of the cluster as it was when the watch began: a restored lab has another, and nothing to say to this one. */
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

export function tellWatchers({ lab, state }: Cluster, entry: HistoryEntry): void {
  for (const watcher of watchers.get(lab) ?? []) {
    if (watcher.resource !== entry.resource) continue;
    if (watcher.state === state) watcher.tell(entry);
    else if (!isLiving(lab, watcher.state)) watcher.end();
  }
}

function isLiving(lab: Lab, state: ClusterState): boolean {
  return Object.values(lab.state<{ clusters: Record<string, ClusterState> }>("kubernetes").clusters).includes(state);
}

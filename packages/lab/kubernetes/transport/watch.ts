import type { RouteCall } from "../api/handle.ts";
import { askedVersion, selection } from "../api/list.ts";
import { checkListOptions } from "../api/list-options.ts";
import { gone } from "../api/status.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { apiVersionOf, resourceKey } from "../resources/resource.ts";
import { inVersion } from "../resources/versions.ts";
import type { HistoryEntry } from "../state.ts";
import { all } from "../store/store.ts";
import { addWatcher } from "../store/watchers.ts";
import { sinceIn } from "../table/duration.ts";
import { tableOf } from "../table/table.ts";
import { acceptedType } from "./negotiate.ts";
import { partial, wantsMetadata, wantsTable } from "./reply.ts";
import type { Stream } from "./stream.ts";

/** Streams a watch. A version that is too old is answered by an event, not by a status, as the API server's cache does. */
export function watchStream(asked: RouteCall): Stream {
  const { cluster, incoming, target } = asked;
  const { query } = incoming;
  checkListOptions(query, true);
  acceptedType(incoming);
  const from = startOf(asked);
  const matches = selection(target.resource, { ...target, query });
  const table = wantsTable(incoming);
  let first = true;
  const metadata = wantsMetadata(incoming) !== undefined;
  const shown = (stored: KubeObject): Loose => {
    const object = inVersion(target.resource, stored);
    if (metadata) return partial(object);
    if (!table) return object;
    const options = { since: sinceIn(cluster.lab), includeObject: query.get("includeObject") ?? "Metadata", withColumns: first };
    first = false;
    return tableOf(target.resource, [stored], { ...options, metadata: { resourceVersion: object.metadata.resourceVersion } });
  };
  return {
    contentType: "application/json",
    run(write, end) {
      const send = (type: string, object: Loose) => write(`${JSON.stringify({ type, object })}\n`);
      const tell = (entry: HistoryEntry) => {
        const event = asSeen(entry, matches);
        if (event) send(event.type, shown(event.object));
      };
      if (from !== undefined && from < cluster.state.compacted) {
        send("ERROR", gone(from, cluster.state.compacted).status());
        queueMicrotask(end);
        return () => {};
      }
      if (from === undefined) {
        if (query.get("sendInitialEvents") !== "false")
          for (const object of all(cluster, target.resource, target.namespace).filter(matches)) send("ADDED", shown(object));
      } else {
        const missed = cluster.state.history.filter(
          (entry) => entry.revision > from && entry.resource === resourceKey(target.resource),
        );
        for (const entry of missed) tell(entry);
      }
      if (query.get("sendInitialEvents") === "true" || query.get("allowWatchBookmarks") === "true") {
        send("BOOKMARK", bookmark(asked, query.get("sendInitialEvents") === "true"));
      }
      const seconds = Number(query.get("timeoutSeconds") ?? 0);
      if (seconds > 0) cluster.lab.sleep(seconds * 1000).then(end, end);
      return addWatcher(cluster.lab, { state: cluster.state, resource: resourceKey(target.resource), tell, end });
    },
  };
}

/** undefined: begin with all existing objects. */
function startOf({ incoming }: RouteCall): number | undefined {
  const version = incoming.query.get("resourceVersion") ?? "";
  if (version === "" || version === "0") return undefined;
  if (incoming.query.get("sendInitialEvents") === "true") return undefined;
  return askedVersion(version);
}

/** The change as seen through a selector. */
function asSeen(entry: HistoryEntry, matches: (object: KubeObject) => boolean): { type: string; object: KubeObject } | undefined {
  const now = entry.type !== "DELETED" && matches(entry.object);
  const before = entry.before !== undefined && matches(entry.before);
  if (now) return { type: before ? "MODIFIED" : "ADDED", object: entry.object };
  return before ? { type: "DELETED", object: entry.object } : undefined;
}

function bookmark({ cluster, target }: RouteCall, initial: boolean): Loose {
  return {
    kind: target.resource.kind,
    apiVersion: apiVersionOf(target.resource),
    metadata: {
      resourceVersion: String(cluster.state.revision),
      ...(initial && { annotations: { "k8s.io/initial-events-end": "true" } }),
    },
  };
}

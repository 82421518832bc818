import { isTransient } from "@talosmith/lib/errors.ts";
import type { Clock } from "@talosmith/lib/world/world.ts";
import type { KubernetesObject } from "../objects.ts";
import { checkedObject, isRecord, parsed } from "./answer.ts";
import { linesOf } from "./lines.ts";
import { type ListRef, listAll, selectorsOf } from "./list.ts";
import { isPassing, refusal, refusalIn, refused } from "./refusal.ts";
import type { Servers } from "./servers.ts";

export interface WatchEvent<T> {
  is: "added" | "modified" | "deleted";
  object: T;
}

/** The server ends a watch by itself after this long, so one that is silent for longer is dead, whether there are bookmarks or not. */
const LASTS_SECONDS = 120;
const SILENCE_MS = (LASTS_SECONDS + 30) * 1000;
const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 10_000;

interface RawEvent<T> {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  object: T;
}

/** The version has expired: only a new list helps. */
class Forgotten extends Error {}

/** Watches objects. The first list must succeed; later losses are recovered from while the watch is read. Ends with the signal. */
export async function* watchAll<T extends KubernetesObject>(
  servers: Servers,
  clock: Clock,
  path: string,
  of: ListRef,
  signal: AbortSignal,
): AsyncIterable<WatchEvent<T>> {
  const known = new Known<T>();
  let version: string | undefined;
  let pause = 0;
  while (!signal.aborted) {
    try {
      if (pause > 0) await clock.sleep(pause, signal);
      if (version === undefined) {
        const listed = await listAll<T>(servers, path, of, signal);
        version = listed.resourceVersion;
        yield* known.becomes(listed.items);
      }
      for await (const { type, object } of changes<T>(servers, path, of, version, signal)) {
        version = object.metadata.resourceVersion ?? version;
        pause = 0;
        if (type !== "BOOKMARK") yield* known.hears(type === "DELETED", object);
      }
      // The watch reached the server's time limit; one that the server ends at once is repeated only after a pause.
      pause = Math.max(pause, FIRST_PAUSE_MS);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Forgotten) version = undefined;
      else if (!known.begun || !isTransient(error)) throw error;
      pause = Math.min(Math.max(pause * 2, FIRST_PAUSE_MS), MAX_PAUSE_MS);
    }
  }
}

async function* changes<T extends KubernetesObject>(
  servers: Servers,
  path: string,
  of: ListRef,
  version: string,
  signal: AbortSignal,
): AsyncIterable<RawEvent<T>> {
  const query = selectorsOf(of);
  query.set("watch", "true");
  query.set("allowWatchBookmarks", "true");
  query.set("resourceVersion", version);
  query.set("timeoutSeconds", String(LASTS_SECONDS));
  const stream = await servers.open(`${path}?${query}`, SILENCE_MS, signal);
  const what = `watch ${of.kind} objects`;
  if ("refused" in stream) {
    if (stream.refused.status === 410) throw new Forgotten();
    throw refused(what, stream.refused.host, refusal(stream.refused));
  }
  for await (const line of linesOf(stream.parts)) {
    const answer = { host: stream.host, body: line };
    const event = parsed(answer, path);
    if (event.type !== "ERROR") {
      // A bookmark has a version and no name.
      if (event.type === "BOOKMARK" && isRecord(event.object) && isRecord(event.object.metadata))
        yield event as unknown as RawEvent<T>;
      else
        yield {
          type: event.type as RawEvent<T>["type"],
          object: checkedObject<RawEvent<T>["object"]>(event.object, answer, path),
        };
      continue;
    }
    const { status: code, reason, message } = refusalIn(event.object);
    if (code === 410) throw new Forgotten();
    const said = { status: code, reason, message };
    // During a watch the server may lose etcd, and then its code need not be a transient one.
    throw refused(what, stream.host, isPassing(code) ? said : { ...said, status: 500 });
  }
}

/** The objects reported so far, so that a new list only yields differences. */
class Known<T extends KubernetesObject> {
  /** By uid: another object may have taken the name. */
  readonly #objects = new Map<string, T>();
  begun = false;

  *becomes(items: readonly T[]): Iterable<WatchEvent<T>> {
    this.begun = true;
    const there = new Set(items.map(uidOf));
    for (const [uid, object] of [...this.#objects]) if (!there.has(uid)) yield* this.hears(true, object);
    for (const item of items) {
      const before = this.#objects.get(uidOf(item));
      if (before?.metadata.resourceVersion !== item.metadata.resourceVersion || !before) yield* this.hears(false, item);
    }
  }

  *hears(deleted: boolean, object: T): Iterable<WatchEvent<T>> {
    const before = this.#objects.has(uidOf(object));
    if (deleted) {
      this.#objects.delete(uidOf(object));
      if (before) yield { is: "deleted", object };
      return;
    }
    this.#objects.set(uidOf(object), object);
    yield { is: before ? "modified" : "added", object };
  }
}

function uidOf({ metadata }: KubernetesObject): string {
  return metadata.uid ?? `${metadata.namespace ?? ""}/${metadata.name}`;
}

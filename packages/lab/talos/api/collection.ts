import { createHash } from "node:crypto";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { EventType } from "@talosmith/wire/gen/cosi/resource/state_pb.js";
import type { Item } from "../resources/resource.ts";
import { isNamespace, type ResourceType, resourceType } from "../resources/types.ts";
import type { Boot, ResourceVersion } from "../state.ts";
import type { Called } from "./caller.ts";

/** A requested collection: a namespace and a type. */
export interface CollectionKey {
  namespace: string;
  type: string;
}

export type Resource = ReturnType<typeof withVersion>;

export interface Happened {
  eventType: EventType;
  resource: Resource;
  old?: Resource;
}

/** All current resources of that type and namespace. */
export function read(called: Called, asked: CollectionKey): Resource[] {
  const type = allowed(called, asked);
  const items = type.items(called);
  forgetGone(called.boot, type, items);
  return items
    .filter((item) => (item.namespace ?? type.namespace) === asked.namespace)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((item) => withVersion(called, type, item));
}

/** A type unknown to this Talos version is refused, not empty. */
export function allowed({ caller, boot }: Called, { namespace, type: name }: CollectionKey): ResourceType {
  const { version } = boot.system;
  const type = resourceType(name, version);
  if (!type) throw new ConnectError(`resource type ${JSON.stringify(name)} is not supported`, Code.PermissionDenied);
  if (type.sensitive && !caller.roles.includes("os:admin")) throw new ConnectError("not authorized", Code.PermissionDenied);
  if (!isNamespace(namespace, version))
    throw new ConnectError(`namespace ${JSON.stringify(namespace)} is not supported`, Code.PermissionDenied);
  return type;
}

function keyOf(type: ResourceType, { id, namespace }: Item): string {
  return `${type.type}/${namespace === undefined ? "" : `${namespace}:`}${id}`;
}

/** A resource that is created again starts with version 1. */
function forgetGone(boot: Boot, type: ResourceType, items: readonly Item[]): void {
  const present = new Set(items.map((item) => keyOf(type, item)));
  for (const key of Object.keys(boot.resources)) {
    if (key.startsWith(`${type.type}/`) && !present.has(key)) delete boot.resources[key];
  }
}

/** The version is incremented whenever the resource has changed since the last read. */
function withVersion({ lab, boot }: Called, type: ResourceType, item: Item) {
  const key = keyOf(type, item);
  const before = boot.resources[key];
  const now = lab.now();
  const spec = createHash("sha256").update(item.yaml).digest("base64");
  const current: ResourceVersion =
    before?.spec === spec ? before : { spec, version: (before?.version ?? 0) + 1, created: before?.created ?? now, updated: now };
  boot.resources[key] = current;
  return {
    metadata: {
      namespace: item.namespace ?? type.namespace,
      type: type.type,
      id: item.id,
      version: String(current.version),
      owner: item.owner ?? type.owner,
      phase: "running",
      created: timestampFromMs(lab.timeOfDay(current.created)),
      updated: timestampFromMs(lab.timeOfDay(current.updated)),
      labels: item.labels ?? {},
      annotations: item.annotations ?? {},
    },
    spec: { protoSpec: new Uint8Array(item.proto), yamlSpec: item.yaml },
  };
}

/** Number of events that a node keeps, without the gap for slow readers. */
const KEPT = 1020;

/** The events of a resource type since the first watch. Not part of the state: a machine loses it, too. */
export interface Stream {
  /** Number of the next event. */
  next: number;
  events: Happened[];
  last: ReadonlyMap<string, Resource>;
  cookie: Buffer;
}

const streams = new WeakMap<Boot, Map<string, Stream>>();

/** Reads the resources and appends events for the differences. */
export function refreshed(called: Called, asked: CollectionKey): Stream {
  const of = streams.get(called.boot) ?? new Map<string, Stream>();
  streams.set(called.boot, of);
  const key = `${asked.namespace}/${asked.type}`;
  const cookie = () => createHash("sha256").update(called.boot.id).digest().subarray(0, 8);
  const stream = of.get(key) ?? { next: 0, events: [], last: new Map<string, Resource>(), cookie: cookie() };
  of.set(key, stream);
  const now = new Map(read(called, asked).map((one) => [one.metadata.id, one]));
  const fresh = changes(stream.last, now);
  stream.last = now;
  stream.next += fresh.length;
  stream.events = [...stream.events, ...fresh].slice(-KEPT);
  return stream;
}

function changes(before: ReadonlyMap<string, Resource>, after: ReadonlyMap<string, Resource>): Happened[] {
  const gone = [...before].filter(([id]) => !after.has(id)).map(([, resource]) => ({ resource, eventType: EventType.DESTROYED }));
  const come = [...after].flatMap(([id, resource]): Happened[] => {
    const old = before.get(id);
    if (!old) return [{ resource, eventType: EventType.CREATED }];
    return old.metadata.version === resource.metadata.version ? [] : [{ resource, old, eventType: EventType.UPDATED }];
  });
  return [...gone, ...come];
}

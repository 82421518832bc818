import { createHash } from "node:crypto";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { EventType, type State, type WatchRequest } from "../../../../gen/cosi/resource/state_pb.js";
import { changeOrMoment } from "../bell.ts";
import type { Item, ResourceType } from "../resources/resource.ts";
import { isNamespace, resourceType } from "../resources/types.ts";
import type { ResourceVersion } from "../state.ts";
import { type Called, type Caller, callerOf, looking } from "./caller.ts";

/** cosi.resource.State (talos.md 4.6): reading only. */
export const cosiMethods: Partial<ServiceImpl<typeof State>> = {
  get: (request, context) =>
    looking(callerOf(context), (called) => {
      const found = read(called, request).find((one) => one.metadata.id === request.id);
      if (found) return { resource: found };
      const text = `resource ${request.type}(${request.namespace}/${request.id}@undefined) doesn't exist`;
      throw new ConnectError(text, Code.NotFound);
    }),

  async *list(request, context) {
    const id = idFilter(request.options?.idQuery?.regexp);
    const all = looking(callerOf(context), (called) => read(called, request));
    for (const resource of all) if (id(resource.metadata.id)) yield { resource };
  },

  watch,
};

function idFilter(regexp: string | undefined): (id: string) => boolean {
  const pattern = regexp === undefined || regexp === "" ? undefined : new RegExp(regexp);
  return (id) => pattern?.test(id) ?? true;
}

interface Asked {
  namespace: string;
  type: string;
}

type Resource = ReturnType<typeof withVersion>;

function read(called: Called, asked: Asked): Resource[] {
  const type = allowed(called.caller, asked);
  if (type.namespace !== asked.namespace) return [];
  return type
    .items(called)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((item) => withVersion(called, type, item));
}

/** A type this Talos does not know is refused, not absent. */
function allowed(caller: Caller, { namespace, type: name }: Asked): ResourceType {
  const type = resourceType(name);
  if (!type) throw new ConnectError(`resource type "${name}" is not supported`, Code.PermissionDenied);
  if (type.sensitive && !caller.roles.includes("os:admin")) throw new ConnectError("not authorized", Code.PermissionDenied);
  if (!isNamespace(namespace)) throw new ConnectError(`namespace "${namespace}" is not supported`, Code.PermissionDenied);
  return type;
}

/** A version is one more whenever the resource is found to be another than when it was last looked at. */
function withVersion({ lab, boot }: Called, type: ResourceType, item: Item) {
  const key = `${type.type}/${item.id}`;
  const before = boot.resources[key];
  const now = lab.now();
  const spec = createHash("sha256").update(item.yaml).digest("base64");
  const current: ResourceVersion =
    before?.spec === spec ? before : { spec, version: (before?.version ?? 0) + 1, created: before?.created ?? now, updated: now };
  boot.resources[key] = current;
  return {
    metadata: {
      namespace: type.namespace,
      type: type.type,
      id: item.id,
      version: String(current.version),
      owner: "",
      phase: "running",
      created: timestampFromMs(current.created),
      updated: timestampFromMs(current.updated),
      ...(item.annotations && { annotations: item.annotations }),
    },
    spec: { protoSpec: new Uint8Array(item.proto), yamlSpec: item.yaml },
  };
}

/** First an empty answer: the watch stands. Then what is there, as far as asked, then every change. */
async function* watch(request: WatchRequest, context: HandlerContext) {
  const caller = callerOf(context);
  looking(caller, () => allowed(caller, request));
  yield {};
  const fits = request.id === undefined ? idFilter(request.options?.idQuery?.regexp) : (id: string) => id === request.id;
  const look = () =>
    looking(
      caller,
      (called) =>
        new Map(
          read(called, request)
            .filter(({ metadata }) => fits(metadata.id))
            .map((one) => [one.metadata.id, one]),
        ),
    );
  let seen = look();
  if (request.id !== undefined || request.options?.bootstrapContents) {
    for (const resource of seen.values()) yield { event: [{ resource, eventType: EventType.CREATED }] };
    if (request.id !== undefined && seen.size === 0) yield { event: [tombstone(request, request.id)] };
  }
  if (request.options?.bootstrapContents && request.apiVersion > 0) yield { event: [{ eventType: EventType.BOOTSTRAPPED }] };
  for (;;) {
    await changeOrMoment(caller.lab, context.signal);
    if (context.signal.aborted || caller.lab.closing.aborted) return;
    const now = look();
    for (const event of changes(seen, now)) yield { event: [event] };
    seen = now;
  }
}

function tombstone({ namespace, type }: Asked, id: string) {
  const metadata = { namespace, type, id, version: "undefined", phase: "running" };
  return { resource: { metadata, spec: { yamlSpec: "{}\n" } }, eventType: EventType.DESTROYED };
}

function changes(before: ReadonlyMap<string, Resource>, after: ReadonlyMap<string, Resource>) {
  const gone = [...before].filter(([id]) => !after.has(id)).map(([, resource]) => ({ resource, eventType: EventType.DESTROYED }));
  const come = [...after].flatMap(([id, resource]) => {
    const old = before.get(id);
    if (!old) return [{ resource, eventType: EventType.CREATED }];
    return old.metadata.version === resource.metadata.version ? [] : [{ resource, old, eventType: EventType.UPDATED }];
  });
  return [...gone, ...come];
}

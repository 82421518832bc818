import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { EventType, type State, type WatchRequest } from "@talosmith/wire/gen/cosi/resource/state_pb.js";
import { atEveryChange, changeOrMoment } from "../bell.ts";
import { inBoot } from "../machine/boot.ts";
import { callerOf, looking } from "./caller.ts";
import { allowed, type CollectionKey, type Happened, type Resource, read, refreshed, type Stream } from "./collection.ts";
import { type Fits, fitting } from "./label-query.ts";

/** cosi.resource.State, read-only (docs/facts/talos.md#resources). */
export const cosiMethods: Partial<ServiceImpl<typeof State>> = {
  get: (request, context) =>
    looking(callerOf(context), (called) => {
      const found = read(called, request).find((one) => one.metadata.id === request.id);
      if (found) return { resource: found };
      const text = `resource ${request.type}(${request.namespace}/${request.id}@undefined) doesn't exist`;
      throw new ConnectError(text, Code.NotFound);
    }),

  async *list(request, context) {
    const fits = fitting(request.options?.labelQuery, request.options?.idQuery);
    const all = looking(callerOf(context), (called) => read(called, request));
    for (const resource of all) if (fits(resource.metadata)) yield { resource };
  },

  watch,
};

interface Event {
  eventType: EventType;
  resource: Resource | ReturnType<typeof tombstone>;
  old?: Resource;
  bookmark?: Uint8Array;
}

/** First an empty message: the watch is established. Then existing resources, if requested, then every change. */
async function* watch(request: WatchRequest, context: HandlerContext) {
  const caller = callerOf(context);
  refuseUnheardOf(request);
  const fits: Fits =
    request.id === undefined
      ? fitting(request.options?.labelQuery, request.options?.idQuery)
      : (metadata) => metadata.id === request.id;
  const look = () =>
    looking(caller, (called) => {
      allowed(called, request);
      return refreshed(called, request);
    });
  const first = look();
  let position = startOf(request, first);
  const opening = openingOf(request, first, position, fits);
  yield {};
  const stop = atEveryChange(caller.lab, () => {
    const found = inBoot(caller.lab, caller);
    if (found) refreshed({ ...found, lab: caller.lab, caller }, request);
  });
  try {
    yield* answers(request, opening);
    for (;;) {
      const stream = look();
      const missed = stream.events.slice(stream.events.length - (stream.next - position));
      const fresh = missed.flatMap((event, index) => seen(event, fits, bookmark(stream, position + index)));
      position = stream.next;
      yield* answers(request, fresh);
      await changeOrMoment(caller.lab, context.signal);
      if (context.signal.aborted || caller.lab.closing.aborted) return;
    }
  } finally {
    stop();
  }
}

function refuseUnheardOf({ id, options }: WatchRequest): void {
  if (id !== undefined && options?.bootstrapContents)
    throw new ConnectError("bootstrap contents is not implemented for resource watch", Code.Unimplemented);
  if (id !== undefined && (options?.labelQuery ?? []).length > 0)
    throw new ConnectError("label query is not implemented for resource watch", Code.Unimplemented);
  const tail = (options?.tailEvents ?? 0) > 0;
  const from = options?.startFromBookmark !== undefined;
  if (options?.bootstrapContents && (tail || from))
    throw new ConnectError("cannot use BootstrapContents with TailEvents and StartFromBookmark options", Code.Unknown);
  if (tail && from) throw new ConnectError("cannot use both TailEvents and StartFromBookmark options", Code.Unknown);
}

/** Number of the first requested event. */
function startOf({ id, options }: WatchRequest, stream: Stream): number {
  const oldest = stream.next - stream.events.length;
  if (options?.startFromBookmark !== undefined) {
    const position = readBookmark(stream, options.startFromBookmark);
    if (position === undefined || position < Math.max(oldest - 1, id === undefined ? -1 : 0) || position >= stream.next)
      throw new ConnectError("invalid watch bookmark", Code.FailedPrecondition);
    return position + 1;
  }
  const tail = options?.tailEvents ?? 0;
  if (tail <= 0) return stream.next;
  if (id === undefined) return Math.max(oldest, stream.next - tail);
  const own = stream.events.flatMap((event, index) => (event.resource.metadata.id === id ? [oldest + index] : []));
  return own.at(-tail) ?? own[0] ?? stream.next;
}

function openingOf(request: WatchRequest, stream: Stream, position: number, fits: Fits): Event[] {
  const { id, options } = request;
  const there = [...stream.last.values()].filter(({ metadata }) => fits(metadata));
  const contents = there.map((resource) => ({ resource, eventType: EventType.CREATED }));
  if (id !== undefined) {
    if ((options?.tailEvents ?? 0) > 0 || options?.startFromBookmark !== undefined) return [];
    return contents.length > 0 ? contents : [{ resource: tombstone(request, id), eventType: EventType.DESTROYED }];
  }
  const here = { resource: tombstone(request, ""), bookmark: bookmark(stream, position - 1) };
  return [
    ...(options?.bootstrapContents ? [...contents, { ...here, eventType: EventType.BOOTSTRAPPED }] : []),
    ...(options?.bootstrapBookmark ? [{ ...here, eventType: EventType.NOOP }] : []),
  ];
}

/** One message for all events when they are requested together; old clients do not know every event type. */
function* answers({ options, apiVersion, id }: WatchRequest, events: readonly Event[]) {
  const known = events.filter(({ eventType }) => apiVersion > 0 || eventType !== EventType.BOOTSTRAPPED);
  if (known.length === 0) return;
  if (options?.aggregated && id === undefined) yield { event: [...known] };
  else for (const event of known) yield { event: [event] };
}

/** Filters an event: a change that makes a resource match, or no longer match, is a creation or a deletion. */
function seen({ eventType, resource, old }: Happened, fits: Fits, mark: Uint8Array): Event[] {
  const [before, after] = [old !== undefined && fits(old.metadata), fits(resource.metadata)];
  if (eventType !== EventType.UPDATED) return after ? [{ eventType, resource, bookmark: mark }] : [];
  if (before && after && old) return [{ eventType, resource, old, bookmark: mark }];
  if (after) return [{ eventType: EventType.CREATED, resource, bookmark: mark }];
  return before ? [{ eventType: EventType.DESTROYED, resource, bookmark: mark }] : [];
}

/** The event for a missing resource. */
function tombstone({ namespace, type }: CollectionKey, id: string) {
  return { metadata: { namespace, type, id, version: "undefined", phase: "running" }, spec: {} };
}

/** The machine's boot and the event's number. */
function bookmark({ cookie }: Stream, position: number): Uint8Array {
  const number = Buffer.alloc(8);
  number.writeBigInt64BE(BigInt(position));
  return new Uint8Array(Buffer.concat([cookie, number]));
}

function readBookmark({ cookie }: Stream, bytes: Uint8Array): number | undefined {
  const given = Buffer.from(bytes);
  if (given.length !== 16 || !given.subarray(0, 8).equals(cookie)) return undefined;
  return Number(given.readBigInt64BE(8));
}

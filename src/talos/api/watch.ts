import { remoteError } from "@talosmith/lib/errors.ts";
import { type Event, EventType } from "@talosmith/wire/gen/cosi/resource/state_pb.js";
import type { Caller } from "./caller.ts";
import { resourceFrom } from "./resources.ts";
import type { Kind, Resource } from "./talos-node.ts";

export type Watched =
  /** Also for what is there when the watch begins. */
  | { event: "created" | "updated"; resource: Resource }
  /** Also when a single one is not there as the watch begins; then its spec is empty. */
  | { event: "destroyed"; resource: Resource }
  /** All existing resources of the kind are listed; changes follow. */
  | { event: "bootstrapped" };

/**
 * Watches resources. The first message is empty and confirms the watch. A marker, sent from API version 1 on, ends the list of existing resources of a
 * kind.
 */
export async function* watchResources(
  caller: Caller,
  { namespace, type, id }: Kind & { id?: string },
  signal: AbortSignal,
): AsyncGenerator<Watched> {
  const doing = `watch ${type}${id === undefined ? "" : ` ${id}`}`;
  const request = {
    namespace,
    type,
    ...(id === undefined ? { options: { bootstrapContents: true } } : { id }),
    apiVersion: 1,
  };
  const messages = caller.stream({ doing, greets: true, signal }, (both) => caller.state.watch(request, both));
  for await (const { event: events } of messages) for (const event of events) yield* watched(caller, doing, event);
}

function watched(caller: Caller, doing: string, { eventType, resource, error }: Event): Watched[] {
  switch (eventType) {
    case EventType.CREATED:
      return resource ? [{ event: "created", resource: resourceFrom(caller, resource) }] : [];
    case EventType.UPDATED:
      return resource ? [{ event: "updated", resource: resourceFrom(caller, resource) }] : [];
    case EventType.DESTROYED:
      return resource ? [{ event: "destroyed", resource: resourceFrom(caller, resource) }] : [];
    case EventType.BOOTSTRAPPED:
      return [{ event: "bootstrapped" }];
    case EventType.ERRORED:
      // For example when the reader was too slow; a new watch begins with the existing resources.
      throw remoteError("TALOS_UNAVAILABLE", {
        message: `Unable to ${doing} on ${caller.address}`,
        detail: error ?? "the watch failed",
        transient: true,
      });
    default:
      return [];
  }
}

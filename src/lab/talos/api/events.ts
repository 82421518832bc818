import { create, type DescMessage, toBinary } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  AddressEventSchema,
  type EventsRequest,
  MachineStatusEvent_MachineStage as MachineStage,
  MachineStatusEventSchema,
  SequenceEvent_Action as SequenceAction,
  SequenceEventSchema,
  ServiceStateEvent_Action as ServiceAction,
  ServiceStateEventSchema,
} from "../../../../gen/machine/machine_pb.js";
import { changeOrMoment } from "../bell.ts";
import type { MachineEvent } from "../state.ts";
import { callerOf, looking } from "./caller.ts";

/** talos.md 4.4: an empty one says that the stream has begun; then the past as far as asked, then what happens. */
export async function* events(request: EventsRequest, context: HandlerContext) {
  const caller = callerOf(context);
  yield { id: "", actorId: request.withActorId };
  let last = looking(caller, ({ boot, lab }) => tailStart(request, boot.events, lab.now()));
  for (;;) {
    const fresh = looking(caller, ({ boot }) => boot.events.filter((event) => event.id > last));
    for (const event of fresh) {
      last = event.id;
      if (request.withActorId !== "" && event.actor !== request.withActorId) continue;
      yield { id: event.id, actorId: event.actor, data: packed(event) };
    }
    if (context.signal.aborted || caller.lab.closing.aborted) return;
    await changeOrMoment(caller.lab, context.signal);
    if (context.signal.aborted || caller.lab.closing.aborted) return;
  }
}

/** The id of the last event that is not wanted. Ids grow. */
function tailStart({ tailEvents, tailId, tailSeconds }: EventsRequest, all: readonly MachineEvent[], now: number): string {
  if (tailEvents < 0) return "";
  if (tailEvents > 0) return all.at(-tailEvents - 1)?.id ?? "";
  if (tailId !== "") return tailId;
  if (tailSeconds > 0) return all.findLast((event) => event.at < now - tailSeconds * 1000)?.id ?? "";
  return all.at(-1)?.id ?? "";
}

function packed({ what }: MachineEvent) {
  const [schema, message] = messageOf(what);
  return { typeUrl: `talos/runtime/${schema.typeName}`, value: toBinary(schema, message) };
}

function messageOf(what: MachineEvent["what"]): [DescMessage, ReturnType<typeof create>] {
  switch (what.kind) {
    case "sequence":
      return [
        SequenceEventSchema,
        create(SequenceEventSchema, {
          sequence: what.sequence,
          action: SequenceAction[what.action],
          ...(what.error && { error: what.error }),
        }),
      ];
    case "service":
      return [
        ServiceStateEventSchema,
        create(ServiceStateEventSchema, {
          service: what.service,
          action: ServiceAction[what.action as keyof typeof ServiceAction],
          message: what.message,
          health: { unknown: what.healthy === undefined, healthy: what.healthy === true, lastMessage: what.message },
        }),
      ];
    case "status":
      return [
        MachineStatusEventSchema,
        create(MachineStatusEventSchema, {
          stage: MachineStage[what.stage.toUpperCase().replace(" ", "_") as keyof typeof MachineStage],
          status: { ready: what.ready, unmetConditions: what.unmet },
        }),
      ];
    case "address":
      return [AddressEventSchema, create(AddressEventSchema, { hostname: what.hostname, addresses: what.addresses })];
  }
}

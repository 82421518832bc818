import { create, type DescMessage, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import {
  AddressEventSchema,
  ConfigLoadErrorEventSchema,
  ConfigValidationErrorEventSchema,
  type EventsRequest,
  MachineStatusEvent_MachineStage as MachineStage,
  MachineStatusEventSchema,
  PhaseEvent_Action as PhaseAction,
  PhaseEventSchema,
  RestartEventSchema,
  SequenceEvent_Action as SequenceAction,
  SequenceEventSchema,
  ServiceStateEvent_Action as ServiceAction,
  ServiceStateEventSchema,
  TaskEvent_Action as TaskAction,
  TaskEventSchema,
} from "@talosmith/wire/gen/machine/machine_pb.js";
import { changeOrMoment } from "../bell.ts";
import { newEventId } from "../identity.ts";
import type { MachineEvent } from "../state.ts";
import { callerOf, looking } from "./caller.ts";

/** Streams events: an empty one at the start, then past events if requested, then new ones (docs/facts/talos.md#methods-and-roles). */
export async function* events(request: EventsRequest, context: HandlerContext) {
  const caller = callerOf(context);
  const id = looking(caller, ({ lab }) => newEventId(lab));
  yield { id, actorId: request.withActorId, data: { typeUrl: "", value: new Uint8Array() } };
  if (request.tailId !== "" && !/^[0-9a-v]{20}$/.test(request.tailId))
    throw new ConnectError("error parsing tail_id: xid: invalid ID", Code.Unknown);
  let last = looking(caller, ({ boot, lab }) => tailStart(request, boot.events, lab.now()));
  for (;;) {
    const fresh = looking(caller, ({ boot }) => boot.events.filter((event) => event.id > last));
    for (const event of fresh) {
      last = event.id;
      if (request.withActorId !== "" && event.actor !== request.withActorId) continue;
      yield { id: event.id, actorId: event.actor, data: packed(event, caller.lab.timeOfDay(event.at)) };
    }
    if (context.signal.aborted || caller.lab.closing.aborted) return;
    await changeOrMoment(caller.lab, context.signal);
    if (context.signal.aborted || caller.lab.closing.aborted) return;
  }
}

/** The id of the last event to skip. Ids increase. */
function tailStart({ tailEvents, tailId, tailSeconds }: EventsRequest, all: readonly MachineEvent[], now: number): string {
  if (tailEvents < 0) return "";
  if (tailEvents > 0) return all.at(-tailEvents - 1)?.id ?? "";
  if (tailId !== "") return tailId;
  if (tailSeconds > 0) return all.findLast((event) => event.at < now - tailSeconds * 1000)?.id ?? "";
  return all.at(-1)?.id ?? "";
}

function packed({ what }: MachineEvent, at: number) {
  const [schema, message] = messageOf(what, at);
  return { typeUrl: `talos/runtime/${schema.typeName}`, value: toBinary(schema, message) };
}

function messageOf(what: MachineEvent["what"], at: number): [DescMessage, ReturnType<typeof create>] {
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
          health: {
            unknown: what.healthy === undefined,
            healthy: what.healthy === true,
            lastMessage: what.healthy === false ? what.message : "",
            lastChange: timestampFromMs(at),
          },
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
    case "phase":
      return [PhaseEventSchema, create(PhaseEventSchema, { phase: what.phase, action: PhaseAction[what.action] })];
    case "task":
      return [TaskEventSchema, create(TaskEventSchema, { task: what.task, action: TaskAction[what.action] })];
    case "config-load-error":
      return [ConfigLoadErrorEventSchema, create(ConfigLoadErrorEventSchema, { error: what.error })];
    case "config-validation-error":
      return [ConfigValidationErrorEventSchema, create(ConfigValidationErrorEventSchema, { error: what.error })];
    case "restart":
      return [RestartEventSchema, create(RestartEventSchema, { cmd: BigInt(what.command) })];
    case "address":
      return [AddressEventSchema, create(AddressEventSchema, { hostname: what.hostname, addresses: what.addresses })];
  }
}

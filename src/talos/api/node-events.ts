import { fromBinary } from "@bufbuild/protobuf";
import { Code as ErrorCode } from "@talosmith/wire/gen/common/common_pb.js";
import {
  AddressEventSchema,
  ConfigLoadErrorEventSchema,
  ConfigValidationErrorEventSchema,
  type Event,
  MachineStatusEvent_MachineStage as MachineStage,
  MachineStatusEventSchema,
  PhaseEventSchema,
  RestartEventSchema,
  SequenceEvent_Action as SequenceAction,
  SequenceEventSchema,
  ServiceStateEvent_Action as ServiceAction,
  ServiceStateEventSchema,
  PhaseEvent_Action as StepAction,
  TaskEventSchema,
} from "@talosmith/wire/gen/machine/machine_pb.js";
import type { Caller } from "./caller.ts";
import type { EventOptions } from "./talos-node.ts";

/** An event of a node. */
export type NodeEvent = {
  id: string /** For whom: what a call like reboot answered with; else empty. */;
  actor: string;
} & Happened;

type Happened =
  /** "boot", "reboot": made of phases, and those of tasks. `locked`: another one runs, and this one never began. */
  | {
      is: "sequence";
      sequence: string;
      action: "noop" | "start" | "stop";
      error?: { code: "fatal" | "locked" | "canceled"; message: string };
    }
  | { is: "phase"; phase: string; action: "start" | "stop" }
  | { is: "task"; task: string; action: "start" | "stop" }
  /** `state` as in the list of services. */
  | { is: "service"; service: string; state: string; message: string; healthy: boolean | undefined }
  | { is: "status"; stage: string; ready: boolean; unmet: readonly { name: string; reason: string }[] }
  | { is: "address"; hostname: string; addresses: readonly string[] }
  | { is: "config refused"; error: string }
  | { is: "restart"; command: bigint }
  /** An event of a newer Talos. */
  | { is: "unknown"; type: string };

const TYPE_PREFIX = "talos/runtime/";

/** The first message only confirms the stream. */
export async function* nodeEvents(caller: Caller, options: EventOptions, signal: AbortSignal): AsyncGenerator<NodeEvent> {
  const { tail = 0, after = "", actor = "" } = options;
  const call = { doing: "follow the events", kind: "stream", greets: true, signal } as const;
  const request = { tailEvents: tail === "all" ? -1 : tail, tailId: after, withActorId: actor };
  for await (const event of caller.stream(call, (both) => caller.machine.events(request, both))) {
    const { id, actorId, data, metadata } = event;
    caller.check(call, metadata);
    if (data?.typeUrl) yield { id, actor: actorId, ...caller.decoded(call, () => happened(data)) };
  }
}

function happened({ typeUrl, value }: NonNullable<Event["data"]>): Happened {
  const type = typeUrl.startsWith(TYPE_PREFIX) ? typeUrl.slice(TYPE_PREFIX.length) : typeUrl;
  return DECODE[type]?.(value) ?? { is: "unknown", type };
}

const DECODE: Record<string, (bytes: Uint8Array) => Happened> = {
  [SequenceEventSchema.typeName]: (bytes) => {
    const { sequence, action, error } = fromBinary(SequenceEventSchema, bytes);
    const happened = { is: "sequence", sequence, action: lower(SequenceAction, action) } as const;
    return error ? { ...happened, error: { code: lower(ErrorCode, error.code), message: error.message } } : happened;
  },
  [PhaseEventSchema.typeName]: (bytes) => {
    const { phase, action } = fromBinary(PhaseEventSchema, bytes);
    return { is: "phase", phase, action: lower(StepAction, action) };
  },
  [TaskEventSchema.typeName]: (bytes) => {
    const { task, action } = fromBinary(TaskEventSchema, bytes);
    return { is: "task", task, action: action === 0 ? "start" : "stop" };
  },
  [ServiceStateEventSchema.typeName]: (bytes) => {
    const { service, action, message, health } = fromBinary(ServiceStateEventSchema, bytes);
    const word = lower(ServiceAction, action);
    const state = word.charAt(0).toUpperCase() + word.slice(1);
    return { is: "service", service, state, message, healthy: health && !health.unknown ? health.healthy : undefined };
  },
  [MachineStatusEventSchema.typeName]: (bytes) => {
    const { stage, status } = fromBinary(MachineStatusEventSchema, bytes);
    const unmet = status?.unmetConditions.map(({ name, reason }) => ({ name, reason })) ?? [];
    return { is: "status", stage: lower(MachineStage, stage).replace("_", " "), ready: status?.ready ?? false, unmet };
  },
  [AddressEventSchema.typeName]: (bytes) => {
    const { hostname, addresses } = fromBinary(AddressEventSchema, bytes);
    return { is: "address", hostname, addresses };
  },
  [ConfigLoadErrorEventSchema.typeName]: (bytes) => ({
    is: "config refused",
    error: fromBinary(ConfigLoadErrorEventSchema, bytes).error,
  }),
  [ConfigValidationErrorEventSchema.typeName]: (bytes) => ({
    is: "config refused",
    error: fromBinary(ConfigValidationErrorEventSchema, bytes).error,
  }),
  [RestartEventSchema.typeName]: (bytes) => ({ is: "restart", command: fromBinary(RestartEventSchema, bytes).cmd }),
};

/** The name of an enum's member as Talos prints it. A number without a name, from a later Talos, is the first one's. */
function lower<E extends Record<string, string | number>>(names: E, number: number): Lowercase<Extract<keyof E, string>> {
  const of = names as Record<number, string>;
  return String(of[number] ?? of[0]).toLowerCase() as Lowercase<Extract<keyof E, string>>;
}

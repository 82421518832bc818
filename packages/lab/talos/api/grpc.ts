import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import { Code, ConnectError, createContextValues, type Interceptor } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { ClusterService } from "@talosmith/wire/gen/cluster/cluster_pb.js";
import { State } from "@talosmith/wire/gen/cosi/resource/state_pb.js";
import { InspectService } from "@talosmith/wire/gen/inspect/inspect_pb.js";
import { ImageService } from "@talosmith/wire/gen/machine/image_pb.js";
import { MachineService } from "@talosmith/wire/gen/machine/machine_pb.js";
import { StorageService } from "@talosmith/wire/gen/storage/storage_pb.js";
import { TimeService } from "@talosmith/wire/gen/time/time_pb.js";
import { dripping } from "../../kernel/drip.ts";
import type { Fault, Recorded, WebEndpoint } from "../../kernel/kernel.ts";
import { SERVICE } from "../state.ts";
import { minorOf } from "../versions.ts";
import { type Caller, callerKey, looking } from "./caller.ts";
import { cosiMethods } from "./cosi.ts";
import { routing } from "./forward.ts";
import { clusterMethods } from "./health.ts";
import { imageServiceMethods } from "./images.ts";
import { inspectMethods } from "./inspect.ts";
import { machineMethods } from "./machine-service.ts";
import { inMaintenance, isMutating, mayCall } from "./roles.ts";
import { storageMethods } from "./storage.ts";
import { timeMethods } from "./time.ts";

/** docs/facts/talos.md#connections-and-modes */
const LARGEST_MESSAGE = 32 * 1024 * 1024;

const SERVICES = [MachineService, ImageService, InspectService, StorageService, TimeService, ClusterService, State];

const callers = new WeakMap<object, Caller>();
const responses = new WeakMap<Caller, ServerResponse>();

const serve = connectNodeAdapter({
  grpc: true,
  connect: false,
  grpcWeb: false,
  readMaxBytes: LARGEST_MESSAGE,
  // The last one is closest to the method.
  interceptors: [recording(), authorizing(), routing()],
  contextValues: (request) => createContextValues().set(callerKey, callers.get(request)),
  routes: (router) => {
    router.service(MachineService, machineMethods);
    router.service(ImageService, imageServiceMethods);
    router.service(InspectService, inspectMethods);
    router.service(StorageService, storageMethods);
    router.service(TimeService, timeMethods);
    router.service(ClusterService, clusterMethods);
    router.service(State, cosiMethods);
  },
  fallback: (request, response) => unknown(request as IncomingMessage, response as ServerResponse),
});

/** Answers the calls of one connection, all for the same machine. */
export function grpcAnswer(
  callerFor: (request: IncomingMessage, response: ServerResponse) => Caller | undefined,
): WebEndpoint["answer"] {
  return (request, response) => {
    const caller = callerFor(request, response);
    if (!caller) return;
    callers.set(request, caller);
    responses.set(caller, response);
    serve(request, response);
  };
}

/**
 * Answers as Go's gRPC does: the status is in the headers, which end the stream. After any data, even an empty one, clients would expect it in the
 * trailers.
 */
function unknown(request: IncomingMessage, response: ServerResponse): void {
  const [, service = "", method = ""] = (request.url ?? "").split("/");
  const known = SERVICES.some((one) => one.typeName === service);
  const message = known ? `unknown method ${method} for service ${service}` : `unknown service ${service}`;
  const { stream } = response as unknown as Http2ServerResponse;
  stream.respond(
    {
      ":status": 200,
      "content-type": "application/grpc",
      "grpc-status": String(Code.Unimplemented),
      "grpc-message": encodeURIComponent(message).replaceAll("%20", " "),
    },
    { endStream: true },
  );
}

function methodOf(request: { service: { typeName: string }; method: { name: string } }): string {
  return `${request.service.typeName}/${request.method.name}`;
}

/** Handles the recorder and the faults, as kernel/answer.ts does for HTTP. */
function recording(): Interceptor {
  return (next) => async (request) => {
    const caller = request.contextValues.get(callerKey);
    if (!caller) throw new ConnectError("no machine behind this call", Code.Internal);
    const method = methodOf(request);
    const call = { service: SERVICE, site: `/${method}`, resource: caller.name, mutating: isMutating(method) };
    const { entry, fault } = caller.lab.turn(() => {
      const entry = caller.lab.recorder.begin(call);
      const fault = caller.lab.fault(call);
      if (fault) entry.fault = fault.kind;
      return { entry, fault };
    });
    try {
      await meet(caller, fault);
      if (!request.stream) caller.hold();
      const response = await next(request);
      if (fault?.kind === "cut-after") {
        // A stream does nothing before it is read.
        if (response.stream) await firstOf(caller, response.message);
        throw await cut(caller);
      }
      if (fault?.kind === "drip") dripResponse(caller, fault.bytes);
      if (!response.stream) {
        entry.status = 0;
        return response;
      }
      return { ...response, message: recorded(entry, response.message) };
    } catch (error) {
      if (cuts.has(error as object)) throw error;
      if (fault?.kind === "cut-after") throw await cut(caller);
      if (fault?.kind === "drip") dripResponse(caller, fault.bytes);
      entry.status = ConnectError.from(error).code;
      throw error;
    }
  };
}

/** How long a silent stream is waited for before it is cut, in virtual milliseconds. */
const SILENCE = 1000;

async function firstOf(caller: Caller, messages: AsyncIterable<unknown>): Promise<void> {
  const reading = messages[Symbol.asyncIterator]();
  await Promise.race([reading.next(), caller.lab.sleep(SILENCE)]).catch(() => {});
  // Not awaited: it may be in the middle of a message that never arrives.
  reading.return?.().catch(() => {});
}

/** Each piece is a separate frame. The adapter continues when the last one is sent. */
function dripResponse(caller: Caller, bytes: number): void {
  const response = responses.get(caller);
  if (!response) return;
  const write = response.write.bind(response) as (piece: Uint8Array) => boolean;
  const drip = dripping((piece) => void (response.destroyed || write(piece)), bytes);
  response.write = (data: Uint8Array) => {
    drip(data).then(() => response.emit("drain"));
    return false;
  };
}

async function* recorded<T>(entry: Recorded, messages: AsyncIterable<T>): AsyncIterable<T> {
  try {
    yield* messages;
    entry.status = 0;
  } catch (error) {
    entry.status = ConnectError.from(error).code;
    throw error;
  }
}

async function meet(caller: Caller, fault: Fault | undefined): Promise<void> {
  if (fault?.kind === "cut-before") throw await cut(caller);
  if (fault?.kind === "delay") await caller.lab.sleep(fault.ms);
  if (fault?.kind === "refuse") {
    const isCode = fault.status in Code;
    throw new ConnectError(fault.message, isCode ? (fault.status as Code) : Code.Unavailable);
  }
  if (fault?.kind === "task-error") caller.fails = fault.message;
}

/** Cuts the connection; the adapter sends nothing for Aborted. Not from within the session's own callbacks, which Node may not survive. */
async function cut(caller: Caller): Promise<ConnectError> {
  await caller.lab.sleep(0);
  caller.cut();
  const error = new ConnectError("cut", Code.Aborted);
  cuts.add(error);
  return error;
}

/** Errors that are not sent to the client: such a call has no status. */
const cuts = new WeakSet<object>();

/** docs/facts/talos.md#methods-and-roles */
function authorizing(): Interceptor {
  return (next) => async (request) => {
    const caller = request.contextValues.get(callerKey) as Caller;
    const method = methodOf(request);
    if (caller.mode === "certificates") {
      if (!mayCall(method, caller.roles)) throw new ConnectError("not authorized", Code.PermissionDenied);
      return next(request);
    }
    const minor = looking(caller, ({ boot }) => minorOf(boot.system.version));
    const answer = inMaintenance(method, minor);
    if (answer === "denied") throw new ConnectError("not authorized", Code.PermissionDenied);
    if (answer === "unimplemented") throw new ConnectError(unimplementedText(method), Code.Unimplemented);
    return next(request);
  };
}

/** 1.12 has a separate server for maintenance mode, without most methods. */
function unimplementedText(method: string): string {
  const [service = "", name = ""] = method.split("/");
  if (service !== "machine.MachineService") return `unknown service ${service}`;
  if (name === "Version" || name === "Reset") return "API is not implemented in maintenance mode";
  return `method ${name} not implemented`;
}

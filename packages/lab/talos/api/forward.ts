import { create, type DescMessage } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createContextValues,
  type Interceptor,
  type StreamRequest,
  type UnaryRequest,
} from "@connectrpc/connect";
import { minorOf } from "../versions.ts";
import { type Caller, callerKey, looking } from "./caller.ts";
import { merged } from "./merged.ts";
import { forwards, isItself, targetOf } from "./target.ts";

type Request = UnaryRequest | StreamRequest;
type Next = Parameters<Interceptor>[0];
type Reply = { metadata?: unknown };

/** `node` and `nodes` in the metadata name the target machines; a control plane forwards the call to them (docs/facts/talos.md#forwarding). */
export function routing(): Interceptor {
  return (next) => async (request) => {
    const caller = request.contextValues.get(callerKey) as Caller;
    const one = valuesOf(request.header.get("node"));
    const many = valuesOf(request.header.get("nodes"));
    if (caller.mode === "maintenance" || (one.length === 0 && many.length === 0)) return next(request);
    if (one.length > 1) throw new ConnectError("node metadata must be single-valued", Code.InvalidArgument);
    const [only] = one;
    if (many.length === 0 && only !== undefined) return next(aimed(request, targetOf(caller, only)));
    const { passes, here, minor } = looking(caller, (called) => ({
      passes: forwards(called),
      here: isItself(called, many[0] ?? ""),
      minor: minorOf(called.boot.system.version),
    }));
    // A worker answers calls for itself, as without metadata, and refuses others.
    if (!passes && here && many.length === 1) return next(request);
    refuseMany(`/${request.service.typeName}/${request.method.name}`, minor);
    if (!passes) throw new ConnectError("no request forwarding", Code.PermissionDenied);
    return request.stream ? streamed(next, request, caller, many) : gathered(next, request, caller, many);
  };
}

/** Methods read the target machine from the context. */
function aimed<R extends Request>(request: R, caller: Caller): R {
  return { ...request, contextValues: createContextValues().set(callerKey, caller) };
}

function refuseMany(method: string, minor: number): void {
  if (minor < 13 && method.startsWith("/cosi."))
    throw new ConnectError("one-2-many proxying is not supported for COSI methods", Code.InvalidArgument);
  if (minor >= 13 && !/^\/(machine\.Machine|cluster\.Cluster|inspect\.Inspect|storage\.Storage|time\.Time)Service\//.test(method))
    throw new ConnectError(`one-2-many proxying is not supported for method ${method}`, Code.InvalidArgument);
}

/** Combines all replies, each with its node's name; an error is a reply, too. */
async function gathered(next: Next, request: UnaryRequest, caller: Caller, targets: readonly string[]) {
  const messages: Reply[] = [];
  for (const target of targets) {
    try {
      const reply = (await next(aimed(request, targetOf(caller, target)))).message as unknown as { messages: Reply[] };
      messages.push(...reply.messages.map((message) => ({ ...message, metadata: { ...METADATA, hostname: target } })));
    } catch (error) {
      messages.push(create(elementOf(request), { metadata: failure(target, error) }) as Reply);
    }
  }
  const message = { ...create(request.method.output), messages };
  return { ...answer(request), stream: false, message } as unknown as Awaited<ReturnType<Next>>;
}

/** Every unary reply is a list of messages. */
function elementOf({ method }: Request): DescMessage {
  const field = method.output.fields.find(({ name }) => name === "messages");
  if (field?.message === undefined) throw new ConnectError(`${method.name} is not for several nodes`, Code.Internal);
  return field.message;
}

/** Merges all streams, each message with its node's name. */
async function streamed(next: Next, request: StreamRequest, caller: Caller, targets: readonly string[]) {
  const input: unknown[] = [];
  for await (const message of request.message) input.push(message);
  const streams = targets.map((target) =>
    labelled(target, request.method.output, async () => {
      const own = { ...aimed(request, targetOf(caller, target)), message: given(input) } as StreamRequest;
      return (await next(own)).message as AsyncIterable<never>;
    }),
  );
  return { ...answer(request), stream: true, message: merged(streams) } as unknown as Awaited<ReturnType<Next>>;
}

function answer({ service, method, header }: Request) {
  const type = header.get("content-type") ?? "application/grpc";
  return { service, method, header: new Headers({ "content-type": type }), trailer: new Headers({ "grpc-status": "0" }) };
}

async function* given(messages: readonly unknown[]): AsyncIterable<never> {
  for (const message of messages) yield message as never;
}

async function* labelled(target: string, of: DescMessage, open: () => Promise<AsyncIterable<never>>): AsyncGenerator<never> {
  try {
    for await (const message of await open())
      yield { ...(message as object), metadata: { ...METADATA, hostname: target } } as never;
  } catch (error) {
    yield create(of, { metadata: failure(target, error) }) as never;
  }
}

const METADATA = { $typeName: "common.Metadata", hostname: "", error: "" };

/** An error as Go prints it, and as data. */
function failure(target: string, error: unknown) {
  const { code, rawMessage } = ConnectError.from(error);
  const status = { $typeName: "google.rpc.Status", code, message: rawMessage, details: [] };
  return { ...METADATA, hostname: target, error: `rpc error: code = ${Code[code]} desc = ${rawMessage}`, status };
}

function valuesOf(header: string | null): string[] {
  return (header ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

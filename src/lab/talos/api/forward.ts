import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { holderOf } from "../addresses.ts";
import { machineConfig } from "../config/machine-config.ts";
import { addressesOf } from "../machine/network.ts";
import { talosState } from "../state.ts";
import { type Called, type Caller, callerKey, looking } from "./caller.ts";

/** talos.md 4.2: `node` and `nodes` in the metadata say which machines are meant; a control plane passes the call on to them. */
export function routing(): Interceptor {
  return (next) => async (request) => {
    const caller = request.contextValues.get(callerKey) as Caller;
    const one = valuesOf(request.header.get("node"));
    const many = valuesOf(request.header.get("nodes"));
    if (caller.mode === "maintenance" || (one.length === 0 && many.length === 0)) return next(request);
    if (one.length > 1) throw new ConnectError("node metadata must be single-valued", Code.InvalidArgument);
    const to = (target: string) => request.contextValues.set(callerKey, targetOf(caller, target));
    const [only] = one;
    if (only !== undefined) {
      to(only);
      return next(request);
    }
    if (request.service.typeName.startsWith("cosi."))
      throw new ConnectError("one-2-many proxying is not supported for COSI methods", Code.InvalidArgument);
    if (request.stream) {
      const [first, second] = many;
      if (second !== undefined) throw new ConnectError("the lab streams from one node at a time", Code.Unimplemented);
      to(first as string);
      const response = await next(request);
      return response.stream ? { ...response, message: labelled(first as string, response.message) } : response;
    }
    const messages: Reply[] = [];
    let last: Awaited<ReturnType<typeof next>> | undefined;
    for (const target of many) {
      try {
        to(target);
        last = await next(request);
        const reply = last.message as unknown as { messages: Reply[] };
        messages.push(...reply.messages.map((message) => ({ ...message, metadata: { ...METADATA, hostname: target } })));
      } catch (error) {
        const { code, rawMessage } = ConnectError.from(error);
        if (many.length === 1) throw error;
        const status = { $typeName: "google.rpc.Status", code, message: rawMessage, details: [] };
        messages.push({ metadata: { ...METADATA, hostname: target, error: rawMessage, status } });
      }
    }
    if (!last) throw new ConnectError("no node answered", Code.Unavailable);
    return { ...last, message: { ...last.message, messages } } as unknown as typeof last;
  };
}

type Reply = { metadata?: unknown };
const METADATA = { $typeName: "common.Metadata", hostname: "", error: "" };

function valuesOf(header: string | null): string[] {
  return (header ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

async function* labelled(target: string, messages: AsyncIterable<unknown>): AsyncIterable<never> {
  for await (const message of messages) yield { ...(message as object), metadata: { ...METADATA, hostname: target } } as never;
}

/** The machine that is meant, as far as this one can reach it. */
function targetOf(caller: Caller, target: string): Caller {
  return looking(caller, (called) => {
    if (addressesOf(called.machine).includes(target)) return caller;
    const config = machineConfig(called.boot.config ?? "");
    if (config?.role !== "controlplane") throw new ConnectError("no request forwarding", Code.PermissionDenied);
    const machine = reachable(called, target);
    if (!machine?.boot) {
      const text = `connection error: desc = "transport: Error while dialing: dial tcp ${target}:50000: connect: no route to host"`;
      throw new ConnectError(text, Code.Unavailable);
    }
    return { ...caller, machine: machine.key, boot: machine.boot.number };
  });
}

function reachable({ lab, boot }: Called, target: string) {
  const key = holderOf(lab, target);
  const machine = key === undefined ? undefined : talosState(lab).machines[key];
  if (machine?.boot?.api !== "certificates") return undefined;
  const [ours, theirs] = [boot, machine.boot].map((one) => machineConfig(one.config ?? "")?.ca.certificate);
  return ours === theirs ? machine : undefined;
}

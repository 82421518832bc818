import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { dripSocket } from "./drip.ts";
import type { Call, Fault, Lab, Recorded, WebEndpoint } from "./kernel.ts";

/** A completely received request. */
export interface Incoming {
  method: string;
  /** As sent: still percent-encoded, without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
  request: IncomingMessage;
}

export interface Reply {
  status: number;
  /** The reason phrase in place of the standard one. */
  reason?: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Uint8Array;
}

/** There is no answer yet: `handle` is called again after this much virtual time. */
export interface NotYet {
  notYet: number;
}

export type RefuseFault = Extract<Fault, { kind: "refuse" }>;
export type TaskFault = Extract<Fault, { kind: "task-error" }>;

/** A request that the service has understood. */
export interface Handling {
  call: Call;
  /** Runs synchronously, in a turn. `fault`, if present, applies to the work that the call starts. */
  handle(fault: TaskFault | undefined): Reply | NotYet;
}

/** The HTTP behaviour of a service; all of it synchronous. */
export interface Conversation {
  understand(incoming: Incoming): Handling;
  /** Formats a refusal as the service does. */
  refuse(fault: RefuseFault, incoming: Incoming): Reply;
  /** Formats an error that `understand` or `handle` threw. */
  fail(error: unknown, incoming: Incoming): Reply;
  /** Size limit of a body in bytes. */
  bodyLimit?: number;
}

const BODY_LIMIT = 64 * 1024 * 1024;

/** Handles requests with faults, the recorder and the lab's clock. */
export function answering(lab: Lab, conversation: Conversation): WebEndpoint["answer"] {
  return (request, response) => {
    converse(lab, conversation, request, response).catch(() => {
      // The client disconnected, or the lab is closing: nothing can be sent.
      request.socket.destroy();
    });
  };
}

async function converse(lab: Lab, how: Conversation, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const incoming = await receive(request, how.bodyLimit ?? BODY_LIMIT);
  if (incoming === undefined) return send(response, { status: 413, headers: { connection: "close" } });
  let recorded: Recorded | undefined;
  let broken: Fault | undefined;
  let reply: Reply;
  try {
    const { handling, entry, fault } = lab.turn(() => {
      const handling = how.understand(incoming);
      const entry = lab.recorder.begin(handling.call);
      const fault = lab.fault(handling.call);
      if (fault) entry.fault = fault.kind;
      return { handling, entry, fault };
    });
    recorded = entry;
    broken = fault;
    if (fault?.kind === "cut-before") return cut(request);
    if (fault?.kind === "delay") await lab.sleep(fault.ms);
    reply = fault?.kind === "refuse" ? how.refuse(fault, incoming) : await handled(lab, handling, fault, response);
  } catch (error) {
    if (lab.closing.aborted || request.socket.destroyed) return cut(request);
    reply = how.fail(error, incoming);
  }
  if (broken?.kind === "cut-after") return cut(request);
  if (recorded) recorded.status = reply.status;
  if (broken?.kind === "drip") response.once("close", dripSocket(request.socket, broken.bytes));
  send(response, reply);
}

async function handled(lab: Lab, handling: Handling, fault: Fault | undefined, response: ServerResponse): Promise<Reply> {
  const taskFault = fault?.kind === "task-error" ? fault : undefined;
  const hungUp = new AbortController();
  const onClose = () => hungUp.abort();
  response.once("close", onClose);
  if (response.destroyed) hungUp.abort();
  try {
    for (;;) {
      const outcome = lab.turn(() => handling.handle(taskFault));
      if (!("notYet" in outcome)) return outcome;
      await lab.sleep(outcome.notYet, hungUp.signal);
    }
  } finally {
    response.removeListener("close", onClose);
  }
}

/** Reads the request; undefined when it is too long. */
async function receive(request: IncomingMessage, limit: number): Promise<Incoming | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= limit) chunks.push(chunk);
    else if (length > 2 * limit) throw new Error("the body does not end");
  }
  if (length > limit) return undefined;
  const url = request.url ?? "/";
  const mark = url.indexOf("?");
  return {
    method: request.method ?? "GET",
    path: mark === -1 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark === -1 ? "" : url.slice(mark + 1)),
    headers: request.headers,
    body: Buffer.concat(chunks),
    request,
  };
}

function cut(request: IncomingMessage): void {
  request.socket.destroy();
}

function send(response: ServerResponse, reply: Reply): void {
  const body = typeof reply.body === "string" ? Buffer.from(reply.body) : (reply.body ?? new Uint8Array());
  const headers = { "content-length": body.length, ...reply.headers };
  // Node refuses control characters in a status line, which a message may contain.
  const reason = reply.reason?.replace(/[^\t\x20-\x7e\x80-\xff]/g, " ");
  if (reason === undefined) response.writeHead(reply.status, headers);
  else response.writeHead(reply.status, reason, headers);
  response.end(body);
}

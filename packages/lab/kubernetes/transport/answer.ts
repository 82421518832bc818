import type { IncomingMessage, ServerResponse } from "node:http";
import { answering, type Incoming, type Reply } from "../../kernel/answer.ts";
import { dripSocket } from "../../kernel/drip.ts";
import type { Lab, Recorded, WebEndpoint } from "../../kernel/kernel.ts";
import { userOf } from "../access/impersonate.ts";
import { checkAccess, existing, type RouteCall } from "../api/handle.ts";
import { readLogs } from "../api/logs.ts";
import { readTarget } from "../api/target.ts";
import { isWatch } from "../api/verbs.ts";
import { followLog } from "../store/log-followers.ts";
import { apiConversation, callOf, clusterAt } from "./conversation.ts";
import { failure } from "./reply.ts";
import { type Stream, serveStream } from "./stream.ts";
import { watchStream } from "./watch.ts";

/** The API server of a cluster: most requests are answered at once, watches and followed logs are streamed. */
export function answerApi(lab: Lab, key: string): WebEndpoint["answer"] {
  const answer = answering(lab, apiConversation(lab, key));
  return (request, response) => {
    if (!asksForStream(request)) return answer(request, response);
    answerStreaming(lab, key, request, response, (asked) => {
      const opened = isWatch(asked.incoming.query) ? watchStream(asked) : logStream(asked);
      return () => serveStream(lab, response, opened);
    });
  };
}

function asksForStream({ method, url = "/" }: IncomingMessage): boolean {
  const { pathname, searchParams } = new URL(url, "http://api");
  return method === "GET" && (isWatch(searchParams) || (pathname.endsWith("/log") && searchParams.get("follow") === "true"));
}

/** Runs in a turn after authorization; returns the function that starts the response. */
type Opening = (asked: RouteCall) => () => void;

/** Streams a response that lasts longer than one turn, with faults and the recorder. */
export function answerStreaming(lab: Lab, key: string, request: IncomingMessage, response: ServerResponse, open: Opening): void {
  stream(lab, key, request, response, open).catch(() => request.socket.destroy());
}

async function stream(lab: Lab, key: string, request: IncomingMessage, response: ServerResponse, open: Opening): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://api");
  const incoming: Incoming = {
    method: request.method ?? "GET",
    path: pathname,
    query: searchParams,
    headers: request.headers,
    body: Buffer.alloc(0),
    request,
  };
  let entry: Recorded | undefined;
  let isLost = false;
  const answer = ({ status, headers, body }: Reply) => {
    if (isLost) return void request.socket.destroy();
    if (entry) entry.status = status;
    response.writeHead(status, headers ?? {});
    response.end(body);
  };
  try {
    const begun = lab.turn(() => {
      const cluster = clusterAt(lab, key);
      const target = readTarget(cluster, pathname);
      const call = callOf(incoming, target);
      const entry = lab.recorder.begin(call);
      const fault = lab.fault(call);
      if (fault) entry.fault = fault.kind;
      return { cluster, target, entry, fault };
    });
    const { fault, target } = begun;
    entry = begun.entry;
    isLost = fault?.kind === "cut-after";
    if (fault?.kind === "cut-before") return void request.socket.destroy();
    if (fault?.kind === "delay") await lab.sleep(fault.ms);
    if (fault?.kind === "drip") response.once("close", dripSocket(request.socket, fault.bytes));
    // Refusals, and requests that turn out not to stream, are answered normally.
    if (fault?.kind === "refuse") return answer(apiConversation(lab, key).refuse(fault, incoming));
    if (target.is !== "object") return answer({ status: 404, body: "404 page not found\n" });
    const begin = lab.turn(() => {
      const user = userOf(begun.cluster, request);
      const asked: RouteCall = { cluster: clusterAt(lab, key), user, incoming, target };
      checkAccess(asked);
      return open(asked);
    });
    begin();
    if (isLost) request.socket.destroy();
    else entry.status = response.statusCode;
  } catch (error) {
    if (!response.headersSent && !lab.closing.aborted) answer(failure(error));
    else request.socket.destroy();
  }
}

function logStream(asked: RouteCall): Stream {
  const { key, lines, follow, show } = readLogs(asked.cluster, existing(asked), asked.incoming.query);
  return {
    contentType: "text/plain",
    run(write, end) {
      for (const line of lines) write(show(line));
      if (follow) return followLog(asked.cluster.lab, { key, tell: (line) => write(show(line)), end });
      // Ended by the caller of the turn: the response has just begun.
      queueMicrotask(end);
      return () => {};
    },
  };
}

import type { Lab } from "../../kernel/kernel.ts";
import type { PodAnswer } from "../pods/program.ts";
import type { SpdySession, SpdyStream } from "./spdy.ts";

/** A pod as a port-forward needs it. */
export interface Forwarded {
  lab: Lab;
  /** The answer of a port of the pod to a path, in a turn; undefined: the port is closed. */
  ask(port: number, path: string): PodAnswer | undefined;
  /** The kubelet's message for a closed port. */
  refusal(port: number): string;
}

/** portforward.k8s.io: two streams for each connection, one for the data and one for errors. */
export function servePortForward(session: SpdySession, pod: Forwarded): void {
  const waiting = new Map<string, Partial<Record<"data" | "error", SpdyStream>>>();
  session.onStream = (stream) => {
    const { requestid = "", port = "", streamtype } = stream.headers;
    const key = `${requestid} ${port}`;
    const pair = { ...waiting.get(key), [streamtype === "data" ? "data" : "error"]: stream };
    waiting.set(key, pair);
    if (!pair.data || !pair.error) return;
    waiting.delete(key);
    connect(pod, Number(port), pair.data, pair.error);
  };
}

function connect(pod: Forwarded, port: number, data: SpdyStream, error: SpdyStream): void {
  const listens = pod.lab.turn(() => pod.ask(port, "/")) !== undefined;
  if (!listens) {
    error.end(pod.refusal(port));
    data.end();
    return;
  }
  data.once("close", () => error.end());
  // Pods of the lab speak only HTTP.
  pod.lab.world.net.serveOn(data, (request, response) => {
    const answer = pod.lab.turn(() => pod.ask(port, request.url ?? "/"));
    if (!answer) return void request.socket.destroy();
    response.writeHead(answer.status, { ...answer.headers, "content-length": answer.body.length });
    response.end(request.method === "HEAD" ? undefined : answer.body);
  });
}

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Fault, Lab, Recorded } from "../../kernel/kernel.ts";

/** An answer that goes on until somebody ends it. */
export interface Stream {
  contentType: string;
  /** Called in a turn, once the first line of the answer is sent; gives back what ends it. */
  run(write: (text: string) => void, end: () => void): () => void;
}

/** Faults act on how a stream begins; later only the network can end it. */
export async function serveStream(
  lab: Lab,
  entry: Recorded,
  fault: Fault | undefined,
  response: ServerResponse,
  request: IncomingMessage,
  stream: Stream,
): Promise<void> {
  if (fault?.kind === "cut-before") return void request.socket.destroy();
  if (fault?.kind === "delay") await lab.sleep(fault.ms);
  entry.status = 200;
  response.writeHead(200, { "content-type": stream.contentType, "cache-control": "no-cache, private" });
  response.flushHeaders();
  let stop = () => {};
  const end = () => {
    stop();
    lab.closing.removeEventListener("abort", end);
    if (!response.writableEnded) response.end();
  };
  response.once("close", end);
  lab.closing.addEventListener("abort", end, { once: true });
  lab.turn(() => {
    stop = stream.run((text) => {
      if (!response.writableEnded) response.write(text);
    }, end);
  });
  if (fault?.kind === "cut-after") request.socket.destroy();
}

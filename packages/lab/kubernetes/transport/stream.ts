import type { ServerResponse } from "node:http";
import type { Lab } from "../../kernel/kernel.ts";

/** A response that continues until either side ends it. */
export interface Stream {
  contentType: string;
  /** Called in a turn after the response's header was sent; returns a function that ends the stream. */
  run(write: (text: string) => void, end: () => void): () => void;
}

/** Streams a response. Faults act on its start; later only the network can end it. */
export function serveStream(lab: Lab, response: ServerResponse, stream: Stream): void {
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
}

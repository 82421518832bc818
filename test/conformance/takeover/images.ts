import { spawnSync } from "node:child_process";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Where in a file to stop for a moment, and what happens then. */
export interface Stop {
  percent: number;
  reached(): void;
}

export interface Images {
  url: string;
  /** For the next one who downloads, and only for that one. */
  stopNext(stop: Stop): void;
  close(): void;
}

const PACKED = { zst: ["zstd", "-q", "-3"], xz: ["xz", "-0"], gz: ["gzip", "-1"] } as const;

/** The image in every packing, made by the real programs: `<url>/<packing>`. */
export async function serveImages(image: Buffer): Promise<Images> {
  const files = new Map<string, Buffer>();
  for (const [packing, [program, ...args]] of Object.entries(PACKED))
    files.set(`/${packing}`, spawnSync(program, [...args, "-c"], { input: image, maxBuffer: 2 * image.length }).stdout);
  let next: Stop | undefined;
  const server = createServer((request, response) => {
    const stop = next;
    next = undefined;
    const bytes = files.get(request.url ?? "");
    if (bytes === undefined) return response.writeHead(404).end();
    response.writeHead(200, { "content-length": bytes.length });
    response.on("error", () => {});
    if (stop) inTwo(response, bytes, stop);
    else response.end(bytes);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stopNext: (stop) => {
      next = stop;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Whoever still listens after the stop is given the rest, slowly: one who was left behind goes on while the next one begins. */
async function inTwo(response: ServerResponse, bytes: Buffer, { percent, reached }: Stop): Promise<void> {
  const at = Math.floor((bytes.length * percent) / 100);
  await new Promise((sent) => response.write(bytes.subarray(0, at), sent));
  if (percent > 0) await sleep(50);
  reached();
  const step = Math.max(1, Math.ceil((bytes.length - at) / 10));
  for (let from = at; from < bytes.length && !response.destroyed; from += step) {
    await sleep(40);
    response.write(bytes.subarray(from, from + step));
  }
  response.end();
}

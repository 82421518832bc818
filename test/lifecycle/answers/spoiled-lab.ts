import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Endpoint, RunningLab, Service } from "@talosmith/lab/kernel/kernel.ts";
import { createLab } from "@talosmith/lab/kernel/lab.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { steadyClock } from "@talosmith/lib/world/steady-clock.ts";

/** A response that is about to be sent. */
export interface Answer {
  /** "proxmox GET /api2/json/nodes", without the numbers of individual objects. */
  readonly site: string;
  status: number;
  headers: OutgoingHttpHeaders;
  body: Buffer;
  /** A part of a streaming response: its status and headers are already sent. */
  readonly part: boolean;
}

/** Gets every response, and may change it. */
export interface Spoiler {
  spoil: (answer: Answer) => void;
}

type Write = (this: unknown, ...args: unknown[]) => unknown;

/** A lab whose responses all pass a spoiler. */
export async function spoiledLab(
  seed: string,
  all: readonly Service[],
  timeScale: number,
  spoiler: Spoiler,
): Promise<RunningLab> {
  const services = all.map(
    (service): Service => ({
      ...service,
      endpoints: async (lab) => (await service.endpoints(lab)).map((endpoint) => watched(service.name, endpoint, spoiler)),
      ...(service.behind && {
        behind: (lab, door) => watched(service.name, (service as Required<Service>).behind(lab, door), spoiler),
      }),
    }),
  );
  const lab = await createLab({ ...realWorld(), clock: steadyClock() }, { seed, timeScale, services });
  await lab.start();
  return lab;
}

function watched(service: string, endpoint: Endpoint, spoiler: Spoiler): Endpoint {
  if ("accept" in endpoint) return endpoint;
  return {
    ...endpoint,
    answer: (request, response) => {
      const url = request.url ?? "";
      const site = `${service} ${request.method} ${siteOf(url)}`;
      const goesOn = /[?&](watch|follow)=true/.test(url) || `${request.headers["content-type"]}`.startsWith("application/grpc");
      if (goesOn) spoilParts(response, site, spoiler);
      else spoilWhole(response, site, spoiler);
      endpoint.answer(request, response);
    },
  };
}

function siteOf(url: string): string {
  return (url.split("?")[0] ?? "")
    .replaceAll(/[0-9a-f]{16,}/g, "*")
    .replaceAll(/(?<=\/)(UPID|sha256)[^/]*/g, "$1*")
    .replaceAll(/(?<=\/)\d{3,}(?=\/|$)/g, "*");
}

/** Holds a response back until it is complete, and sends it as it is then. */
function spoilWhole(response: ServerResponse, site: string, spoiler: Spoiler): void {
  const writeHead = response.writeHead.bind(response) as (status: number, headers: OutgoingHttpHeaders) => void;
  const end = response.end.bind(response);
  const parts: Buffer[] = [];
  let head: { status: number; headers: OutgoingHttpHeaders } | undefined;
  const take = (part: unknown) => {
    if (typeof part === "string" || part instanceof Uint8Array) parts.push(Buffer.from(part as string));
  };
  response.writeHead = ((status: number, ...rest: unknown[]) => {
    head = { status, headers: (rest.find((one) => typeof one === "object") ?? {}) as OutgoingHttpHeaders };
    const reason = rest.find((one) => typeof one === "string");
    if (reason !== undefined) response.statusMessage = reason as string;
    return response;
  }) as typeof response.writeHead;
  response.write = ((part: unknown, ...rest: unknown[]) => {
    take(part);
    for (const one of rest) if (typeof one === "function") process.nextTick(one as () => void);
    return true;
  }) as typeof response.write;
  response.end = ((part: unknown) => {
    take(part);
    const body = Buffer.concat(parts);
    const answer: Answer = {
      site,
      status: head?.status ?? response.statusCode,
      headers: { ...head?.headers },
      body,
      part: false,
    };
    spoiler.spoil(answer);
    for (const name of Object.keys(answer.headers)) if (name.toLowerCase() === "content-length") delete answer.headers[name];
    if (!response.headersSent)
      writeHead(answer.status, { ...answer.headers, ...(body !== answer.body && { "content-length": answer.body.length }) });
    return end(answer.body);
  }) as typeof response.end;
}

/** Passes each part on as it comes: the next one may come in an hour. */
function spoilParts(response: ServerResponse, site: string, spoiler: Spoiler): void {
  const write = response.write.bind(response) as unknown as Write;
  response.write = ((part: unknown, ...rest: unknown[]) => {
    const answer: Answer = { site, status: 200, headers: {}, body: Buffer.from(part as Uint8Array), part: true };
    spoiler.spoil(answer);
    return write(answer.body, ...rest);
  }) as typeof response.write;
}

import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { asTalosmithError, userError } from "@talosmith/lib/errors.ts";
import type { Secret } from "@talosmith/lib/secret.ts";
import * as z from "zod";
import { checkFaultRules } from "../kernel/fault-rules.ts";
import type { FaultCount, FaultRule, Outage, Recorded, RunningLab } from "../kernel/kernel.ts";
import { createRouter } from "../kernel/router.ts";

export const CONTROL_PORT = 7098;
const CONTROL_HOST = 254;
const BODY_LIMIT = 256 * 1024 * 1024;

export interface LabStatus {
  /** The lab's own time, ISO 8601. */
  now: string;
  seed: string;
  timeScale: number;
  block: string;
  /** The number of the last call. */
  calls: number;
  /** Number of transitions to come. */
  pending: number;
  faults: readonly FaultRule[];
  outages: readonly Outage[];
  services: Record<string, Record<string, string>>;
}

/** The faults and outages that are set, and everything that they could be set for. */
export interface LabBreakage {
  faults: readonly FaultCount[];
  outages: readonly Outage[];
  services: string[];
  strikes: ReturnType<RunningLab["strikes"]>;
  refusals: ReturnType<RunningLab["refusals"]>;
  /** Sites called so far, by service. */
  sites: Record<string, string[]>;
}

export interface Control {
  url: string;
  /** Number of requests so far. */
  used(): number;
  close(): Promise<void>;
}

interface RouteCall {
  query: URLSearchParams;
  body: string;
}

/** The control endpoint of a lab. It is not part of the lab: its calls are neither recorded nor affected by faults. */
export async function openControl(lab: RunningLab, secret: Secret, stop: () => void): Promise<Control> {
  const route = createRouter<(asked: RouteCall) => string>([
    { method: "GET", pattern: "/status", handler: () => JSON.stringify(status(lab)) },
    { method: "GET", pattern: "/snapshot", handler: () => lab.snapshot() },
    { method: "POST", pattern: "/restore", handler: ({ body }) => done(() => lab.restore(body)) },
    { method: "POST", pattern: "/faults", handler: ({ body }) => done(() => lab.setFaults(checkFaultRules(parsed(body)))) },
    { method: "GET", pattern: "/faults", handler: () => JSON.stringify(breakage(lab)) },
    {
      method: "POST",
      pattern: "/faults/more",
      handler: ({ body }) => done(() => lab.addFaults(checkFaultRules(parsed(body)))),
    },
    { method: "POST", pattern: "/outages", handler: ({ body }) => done(() => lab.setOutages(parsed(body) as Outage[])) },
    { method: "POST", pattern: "/strike", handler: ({ body }) => done(() => strike(lab, parsed(body))) },
    { method: "GET", pattern: "/calls", handler: ({ query }) => JSON.stringify(calls(lab, Number(query.get("after") ?? 0))) },
    { method: "POST", pattern: "/stop", handler: () => done(() => {}) },
  ]);
  let used = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    // Before the body is read: the connection of an unauthorized client is closed, whatever it was about to send.
    if (!allowed(request, secret)) return send(response.setHeader("connection", "close"), 401, "{}");
    used++;
    const url = new URL(request.url ?? "/", "http://control");
    const found = route(request.method ?? "GET", url.pathname);
    const body = await receive(request);
    if (found.kind !== "found") return send(response, found.kind === "none" ? 404 : 405, "{}");
    try {
      send(response, 200, found.handler({ query: url.searchParams, body }));
    } catch (error) {
      const known = asTalosmithError(error);
      send(response, known.kind === "user" ? 400 : 500, JSON.stringify(known.report()));
    }
    if (found.pattern === "/stop") response.once("close", stop);
  };
  const host = lab.address.host(CONTROL_HOST);
  const listener = await lab.world.net.serve({ host, port: CONTROL_PORT }, (request, response) => {
    answer(request, response).catch(() => request.socket.destroy());
  });
  return { url: `http://${listener.host}:${listener.port}`, used: () => used, close: () => listener.close() };
}

function status(lab: RunningLab): LabStatus {
  return lab.turn(() => ({
    now: new Date(lab.now()).toISOString(),
    seed: lab.seed,
    timeScale: lab.timeScale,
    block: lab.address.cidr,
    calls: lab.recorder.calls().at(-1)?.n ?? 0,
    pending: lab.pending(),
    faults: lab.faults(),
    outages: lab.outages(),
    services: lab.published(),
  }));
}

function breakage(lab: RunningLab): LabBreakage {
  const sites: Record<string, Set<string>> = {};
  for (const { service, site } of lab.recorder.calls()) {
    sites[service] ??= new Set();
    sites[service].add(site);
  }
  return {
    faults: lab.faultCounts(),
    outages: lab.outages(),
    services: Object.keys(lab.refusals()),
    strikes: lab.strikes(),
    refusals: lab.refusals(),
    sites: Object.fromEntries(Object.entries(sites).map(([service, all]) => [service, [...all].sort()])),
  };
}

const struck = z.strictObject({ name: z.string(), args: z.array(z.string()) });

function strike(lab: RunningLab, asked: unknown): void {
  const { success, data } = struck.safeParse(asked);
  if (!success) throw userError("LAB_STRIKE", { message: "Unable to read the strike", hint: "pass its name and its arguments" });
  lab.strike(data.name, data.args);
}

function calls(lab: RunningLab, after: number): Recorded[] {
  return lab.recorder.calls().filter(({ n }) => n > after);
}

function done(work: () => void): string {
  work();
  return "{}";
}

/** A body that is not JSON is not a list of rules either, and is refused as such. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function allowed(request: IncomingMessage, secret: Secret): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(request.headers.authorization ?? ""), digest(`Bearer ${secret.reveal()}`));
}

async function receive(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > BODY_LIMIT) throw new Error("the body does not end");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function send(response: ServerResponse, code: number, body: string): void {
  response.writeHead(code, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}

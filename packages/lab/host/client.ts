import { asTalosmithError, type ErrorReport, remoteError, TalosmithError } from "@talosmith/lib/errors.ts";
import { HttpClient } from "@talosmith/lib/http/client.ts";
import { ownCommand, typedEnvironment } from "@talosmith/lib/own-command.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { FaultRule, Outage, Recorded } from "../kernel/kernel.ts";
import type { LabBreakage, LabStatus } from "./control.ts";
import type { LabHandle } from "./lab-file.ts";

const TIMEOUT_MS = 30_000;

/** One connection per call; plain HTTP has no certificate to trust. */
const PLAIN_HTTP = { trust: { by: "system" }, maxConnections: 1, idleMs: TIMEOUT_MS } as const;

export async function labStatus(world: World, lab: LabHandle): Promise<LabStatus> {
  return JSON.parse(await ask(world, lab, "GET", "/status"));
}

export async function labSnapshot(world: World, lab: LabHandle): Promise<string> {
  return await ask(world, lab, "GET", "/snapshot");
}

export async function labRestore(world: World, lab: LabHandle, snapshot: string): Promise<void> {
  await ask(world, lab, "POST", "/restore", snapshot);
}

export async function labFaults(world: World, lab: LabHandle, rules: readonly FaultRule[]): Promise<void> {
  await ask(world, lab, "POST", "/faults", JSON.stringify(rules));
}

/** Adds rules to the existing ones. */
export async function labMoreFaults(world: World, lab: LabHandle, rules: readonly FaultRule[]): Promise<void> {
  await ask(world, lab, "POST", "/faults/more", JSON.stringify(rules));
}

export async function labBreakage(world: World, lab: LabHandle): Promise<LabBreakage> {
  return JSON.parse(await ask(world, lab, "GET", "/faults"));
}

export async function labOutages(world: World, lab: LabHandle, outages: readonly Outage[]): Promise<void> {
  await ask(world, lab, "POST", "/outages", JSON.stringify(outages));
}

export async function labStrike(world: World, lab: LabHandle, name: string, args: readonly string[]): Promise<void> {
  await ask(world, lab, "POST", "/strike", JSON.stringify({ name, args }));
}

/** Calls with a number above `after`. */
export async function labCalls(world: World, lab: LabHandle, after = 0): Promise<Recorded[]> {
  return JSON.parse(await ask(world, lab, "GET", `/calls?after=${after}`));
}

/** Only asks the lab to stop; `stopLab` also makes sure that it does. */
export async function askToStop(world: World, lab: LabHandle, timeoutMs: number): Promise<void> {
  await ask(world, lab, "POST", "/stop", undefined, timeoutMs);
}

async function ask(
  world: World,
  lab: LabHandle,
  method: "GET" | "POST",
  path: string,
  body?: string,
  timeoutMs = TIMEOUT_MS,
): Promise<string> {
  const headers = { authorization: `Bearer ${lab.control.secret.reveal()}` };
  const client = new HttpClient(world, lab.control.url, PLAIN_HTTP, { calls: 0, bytes: 0 });
  const answer = await client
    .request({ method, path, headers, timeoutMs, ...(body !== undefined && { body }) })
    .catch((error: unknown) => {
      throw unreachable(lab, error);
    })
    .finally(() => client.close());
  if (answer.status === 200) return answer.body;
  throw refusal(answer.status, answer.body, `${method} ${path}`);
}

function unreachable(lab: LabHandle, error: unknown): TalosmithError {
  return remoteError("LAB_UNREACHABLE", {
    message: `Unable to reach the lab at ${lab.control.url}`,
    detail: asTalosmithError(error).message,
    hint: `check whether it runs:  ${ownCommand("lab status", typedEnvironment())}`,
    cause: error,
  });
}

/** An error of the lab's process, as if it had happened in this process. */
function refusal(status: number, body: string, call: string): TalosmithError {
  const report: Partial<ErrorReport> = JSON.parse(body || "{}");
  const { kind, code, message, detail, hint } = report;
  if (kind !== undefined && code !== undefined && message !== undefined) {
    return new TalosmithError(kind, code, {
      message,
      ...(detail !== undefined && { detail }),
      ...(hint !== undefined && { hint }),
    });
  }
  return remoteError("LAB_REFUSED", {
    message: "The lab's control endpoint refused a call",
    detail: `${call} was answered ${status}`,
    hint: "the lab may have been restarted with another secret; run the command again",
  });
}

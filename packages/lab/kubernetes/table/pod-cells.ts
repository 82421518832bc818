import type { KubeObject, Loose } from "../objects.ts";
import { ageOf, type Since } from "./duration.ts";

interface Summary {
  ready: number;
  total: number;
  status: string;
  restarts: string;
}

/** The STATUS of a pod as kubectl shows it, derived from its phase, reasons and containers. */
export function podSummary({ metadata, spec, status = {} }: KubeObject, since: Since): Summary {
  const containers: Loose[] = status.containerStatuses ?? [];
  const init: Loose[] = status.initContainerStatuses ?? [];
  let text: string = status.reason || status.phase || "Unknown";
  const initText = initStatus(init, (spec.initContainers ?? []).length);
  if (initText !== undefined) text = initText;
  else text = containerStatus(containers, text);
  if (metadata.deletionTimestamp !== undefined) text = status.reason === "NodeLost" ? "Unknown" : "Terminating";
  const restarts = containers.reduce((sum, it) => sum + (it.restartCount ?? 0), 0);
  const last = containers
    .map((it) => it.lastState?.terminated?.finishedAt)
    .filter(Boolean)
    .sort()
    .at(-1);
  return {
    ready: containers.filter((it) => it.ready).length,
    total: (spec.containers ?? []).length,
    status: text,
    restarts: restarts > 0 && last ? `${restarts} (${ageOf(last, since)} ago)` : String(restarts),
  };
}

function initStatus(init: Loose[], count: number): string | undefined {
  for (const [index, { state = {} }] of init.entries()) {
    const { terminated, waiting } = state;
    if (terminated?.exitCode === 0) continue;
    if (terminated) return `Init:${terminated.reason || `ExitCode:${terminated.exitCode}`}`;
    if (waiting?.reason && waiting.reason !== "PodInitializing") return `Init:${waiting.reason}`;
    return `Init:${index}/${count}`;
  }
  return undefined;
}

function containerStatus(containers: Loose[], fallback: string): string {
  let text = fallback;
  let running = false;
  for (const { state = {}, ready } of [...containers].reverse()) {
    if (state.waiting?.reason) text = state.waiting.reason;
    else if (state.terminated) text = state.terminated.reason || `ExitCode:${state.terminated.exitCode}`;
    else if (state.running && ready) running = true;
  }
  return text === "Completed" && running ? "Running" : text;
}

import type { Finding } from "../../engine/step.ts";
import type { Service } from "../api/talos-node.ts";
import { type Asked, judged } from "./asked.ts";

/** Talos' checks 1 and 8: the service is there, runs, and is healthy by its own account. */
export function serviceProblems(asked: readonly Asked<readonly Service[]>[], id: string, code: string): Finding[] {
  return judged(asked, (services, { name, ip }) => {
    const service = services.find((one) => one.id === id);
    const words = whatIsWrong(service);
    const hint = `what it says:  talosctl logs ${id} --nodes ${ip}`;
    if (words === undefined) return [];
    return [{ level: "fail", code, message: `${name}: ${id} ${words}`, hint, ...(isStarting(service) && { coming: true }) }];
  });
}

/** States of a service before it runs. */
const STARTING: ReadonlySet<string> = new Set(["Initialized", "Preparing", "Waiting", "Pre", "Starting"]);

function isStarting(service: Service | undefined): boolean {
  if (service === undefined) return false;
  return service.state === "Running" ? service.healthy === undefined : STARTING.has(service.state);
}

function whatIsWrong(service: Service | undefined): string | undefined {
  if (!service) return "is missing";
  const { state, healthy, message } = service;
  const said = message === "" ? "" : `: ${message}`;
  if (state !== "Running") return `is ${state}${said}`;
  if (healthy === undefined) return "runs, but its health is not known yet";
  return healthy ? undefined : `is not healthy${said}`;
}

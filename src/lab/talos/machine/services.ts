import type { Lab } from "../../kernel/kernel.ts";
import type { Boot, ServiceName, ServiceState } from "../state.ts";
import { logLine, tell } from "./events.ts";

/** Only the last few are shown. */
const EVENTS_KEPT = 20;

/** Lets a service be in a state, and tells of it. Without `healthy` nobody has looked yet. */
export function setService(
  lab: Lab,
  boot: Boot,
  id: ServiceName,
  state: ServiceState["state"],
  message: string,
  healthy?: boolean,
): void {
  const before = boot.services[id];
  const events = [...(before?.events ?? []), { at: lab.now(), state, message }].slice(-EVENTS_KEPT);
  boot.services[id] = { state, since: lab.now(), events, ...(healthy !== undefined && { healthy }) };
  logLine(lab, boot, `service[${id}](${state}): ${message}`);
  tell(lab, boot, {
    kind: "service",
    service: id,
    action: state.toUpperCase(),
    message,
    ...(healthy !== undefined && { healthy }),
  });
}

export function running(lab: Lab, boot: Boot, id: ServiceName, message = "Started task"): void {
  setService(lab, boot, id, "Running", message, true);
}

export function isRunning(boot: Boot, id: ServiceName): boolean {
  return boot.services[id]?.state === "Running";
}

export function isHealthy(boot: Boot, id: ServiceName): boolean {
  return isRunning(boot, id) && boot.services[id]?.healthy === true;
}

import type { Lab } from "../../kernel/kernel.ts";
import type { Boot, ServiceName, ServiceState } from "../state.ts";
import { logLine, tell } from "./events.ts";

/** Number of events shown for a service. */
const EVENTS_KEPT = 20;

/** Sets a service's state and sends an event. Without `healthy` its health is unknown. */
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

/** The commands of Talos's services, which appear in the message of a start. */
const PROCESSES: Partial<Record<ServiceName, string>> = {
  containerd:
    '"/bin/containerd" "--address" "/system/run/containerd/containerd.sock" "--state" "/system/run/containerd" "--root" "/system/var/lib/containerd"',
  cri: '"/bin/containerd" "--address" "/run/containerd/containerd.sock" "--config" "/etc/cri/containerd.toml"',
  dashboard: '"/sbin/dashboard"',
  udevd: '"/sbin/systemd-udevd" "--resolve-names=never"',
};
const CONTAINERS: readonly ServiceName[] = ["apid", "etcd", "kubelet", "trustd"];

/** Marks a service as running, with unknown health. */
export function started(lab: Lab, boot: Boot, id: ServiceName): void {
  const pid = 1500 + lab.serial("talos pid");
  const process = PROCESSES[id];
  const message = CONTAINERS.includes(id)
    ? `Started task ${id} (PID ${pid}) for container ${id}`
    : process === undefined
      ? "Service started as goroutine"
      : `Process Process([${process}]) started with PID ${pid}`;
  setService(lab, boot, id, "Running", message);
}

/** Marks a service as running and healthy; the dashboard has no health check. */
export function running(lab: Lab, boot: Boot, id: ServiceName): void {
  started(lab, boot, id);
  if (id !== "dashboard") setService(lab, boot, id, "Running", "Health check successful", true);
}

export function isRunning(boot: Boot, id: ServiceName): boolean {
  return boot.services[id]?.state === "Running";
}

export function isHealthy(boot: Boot, id: ServiceName): boolean {
  return isRunning(boot, id) && boot.services[id]?.healthy === true;
}

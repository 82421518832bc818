import type { ContainerStatus, Pod } from "./objects.ts";

/** Reasons a container gives for not starting that go away only when somebody does something. */
const STUCK = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull",
  "CreateContainerConfigError",
  "CreateContainerError",
  "RunContainerError",
  "CrashLoopBackOff",
]);

/** Why a pod cannot begin or go on, or undefined while it may just need time. */
export function podTrouble(pod: Pod): string | undefined {
  const waiting = containersOf(pod).find(({ state }) => STUCK.has(state?.waiting?.reason ?? ""))?.state?.waiting;
  if (waiting) return withMessage(waiting.reason ?? "", waiting.message);
  const scheduled = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status === "False") return withMessage(scheduled.reason ?? "Unschedulable", scheduled.message);
  return undefined;
}

/** How a pod is getting on, in one line. */
export function podWords(pod: Pod): string {
  const trouble = podTrouble(pod);
  if (trouble) return trouble;
  const waiting = containersOf(pod).find(({ state }) => state?.waiting)?.state?.waiting;
  const { phase = "Unknown", reason, message } = pod.status ?? {};
  if (waiting?.reason) return `${phase}, ${withMessage(waiting.reason, waiting.message)}`;
  return reason ? `${phase}, ${withMessage(reason, message)}` : phase;
}

export function isPodReady(pod: Pod): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}

function containersOf(pod: Pod): ContainerStatus[] {
  return [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
}

function withMessage(reason: string, message: string | undefined): string {
  return message ? `${reason}: ${message.split("\n")[0]}` : reason;
}

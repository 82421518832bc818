import type { ContainerStatus, Node, Pod } from "./objects.ts";

/** Reasons for a container's failed start that do not resolve by themselves. */
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

/** The reason why a pod cannot start or continue; undefined while it may only need time. */
export function podTrouble(pod: Pod): string | undefined {
  const waiting = containersOf(pod).find(({ state }) => STUCK.has(state?.waiting?.reason ?? ""))?.state?.waiting;
  if (waiting) return withMessage(waiting.reason ?? "", waiting.message);
  const scheduled = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status === "False") return withMessage(scheduled.reason ?? "Unschedulable", scheduled.message);
  return undefined;
}

/** Facts that distinguish a pod that is on its way from a stuck one. */
export interface Around {
  nodes: readonly Node[];
  /** The time of day. */
  now: number;
}

/** A program may need this long until it answers its readiness probe. */
const STARTS_WITHIN_MS = 2 * 60_000;

export function isRecent(time: string | undefined, now: number): boolean {
  return time !== undefined && Math.abs(now - Date.parse(time)) <= STARTS_WITHIN_MS;
}

/** Whether a pod that is not ready is on its way: its image is being pulled, or it has just started. Nothing starts on a node that does not report. */
export function isPodComing(pod: Pod, { nodes, now }: Around): boolean {
  if (podTrouble(pod) !== undefined) return false;
  const node = nodes.find(({ metadata }) => metadata.name === pod.spec?.nodeName);
  if (node?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "Unknown")) return false;
  if (pod.status?.phase === "Pending") return true;
  return containersOf(pod).some(({ state }) => isRecent(state?.running?.startedAt, now));
}

const NO_IMAGE = new Set(["ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"]);
/** Messages of registries without the image, or without access to it. Other errors may pass: DNS, network, rate limits. */
const NO_SUCH_IMAGE =
  /not found|manifest unknown|name unknown|does not exist|unauthorized|denied|forbidden|invalid reference|couldn't parse/i;

const withoutImage = (pod: Pod | undefined) =>
  containersOf(pod ?? NOBODY)
    .map(({ name, state }) => ({ name, ...state?.waiting }))
    .find(({ reason = "" }) => NO_IMAGE.has(reason));

export function lacksImage(pod: Pod | undefined): boolean {
  return withoutImage(pod) !== undefined;
}

/** The hint for an image that cannot be pulled even after a wait. */
export function imageTrouble(pod: Pod | undefined): string | undefined {
  const waiting = withoutImage(pod);
  if (!waiting) return undefined;
  const { reason = "", message = "" } = waiting;
  const isSure = reason === "InvalidImageName" || reason === "ErrImageNeverPull" || NO_SUCH_IMAGE.test(message);
  if (!isSure) return undefined;
  const image = /image "([^"]+)"/.exec(message)?.[1];
  return `check that ${image === undefined ? "the image" : image} is the right name, and that the nodes can pull it (registries, logins)`;
}

const NOBODY: Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "" } };

/** The state of a pod, in one line. */
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

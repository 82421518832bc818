import type { NodeView } from "../../talos/view.ts";
import type { SimulatedCluster } from "../cluster.ts";
import { findImage } from "../images/images.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { environmentOf, expand, filesOf, Missing } from "../pods/environment.ts";
import { isAtWork, startProcess } from "../pods/processes.ts";
import { argvOf, type Image } from "../pods/program.ts";
import type { ContainerRecord, PodRecord } from "../state.ts";
import { lookIn, lookSoon } from "../store/look.ts";
import { say } from "./events.ts";

const PULLED_MS = 200;
const CHECK_MS = 60_000;
const FIRST_BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = 300_000;
/** The reason of a container's end when its machine went down. */
export const REBOOTED = "Unknown";

export function lifeOf(pod: KubeObject, container: string, restarts: number): string {
  return `${pod.metadata.uid}/${container}/${restarts}`;
}

/** Advances a container's life by one step: pull, start, become ready, end, restart. */
export function advanceContainer(
  cluster: SimulatedCluster,
  view: NodeView,
  pod: KubeObject,
  { containers }: PodRecord,
  container: Loose,
  init: boolean,
) {
  const { lab } = cluster;
  const now = lab.now();
  const tell = (type: "Normal" | "Warning", reason: string, message: string) =>
    say(cluster, pod, { type, reason, message, component: "kubelet", host: view.name });
  const it: ContainerRecord = containers[container.name] ?? begin(cluster, view, container, tell);
  containers[container.name] = it;
  const image = findImage(container.image);
  switch (it.is) {
    case "unpullable": {
      const left = it.since + FIRST_BACKOFF_MS - now;
      if (left > 0) return lookIn(cluster, left);
      if (!it.said) {
        tell("Normal", "BackOff", `Back-off pulling image ${JSON.stringify(container.image)}`);
        tell("Warning", "Failed", "Error: ImagePullBackOff");
        it.said = true;
      }
      return lookIn(cluster, LONGEST_BACKOFF_MS);
    }
    case "pulling":
      if (now < it.until) return lookIn(cluster, it.until - now);
      if (!image) return;
      return start(cluster, view, pod, containers, container, it, image, tell);
    case "running":
      return keepRunning(cluster, view, pod, container, it, image);
    case "ended": {
      if (!restarts(pod, container, it.exitCode, init)) return;
      // The first restart is immediate, later ones are delayed more and more. A kubelet resets the delay when its machine reboots, and when a
      // container has run long enough.
      const forgotten = it.restarts === 0 || it.reason === REBOOTED || it.ranLong === true;
      const wait = forgotten ? 0 : Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (it.restarts - 1));
      containers[container.name] = { ...it, is: "backing-off", until: it.finishedAt + wait };
      if (wait > 0) {
        tell(
          "Warning",
          "BackOff",
          `Back-off restarting failed container ${container.name} in pod ${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`,
        );
      }
      return lookIn(cluster, Math.max(0, it.finishedAt + wait - now));
    }
    case "backing-off": {
      if (now < it.until) return lookIn(cluster, it.until - now);
      const { startedAt, finishedAt, exitCode, reason } = it;
      const last = { startedAt, finishedAt, exitCode, reason };
      containers[container.name] = { is: "pulling", restarts: it.restarts + 1, last, until: now + PULLED_MS };
      return lookIn(cluster, PULLED_MS);
    }
  }
}

type Tell = (type: "Normal" | "Warning", reason: string, message: string) => void;

function begin({ lab, state }: SimulatedCluster, view: NodeView, { image: reference }: Loose, tell: Tell): ContainerRecord {
  const image = findImage(reference);
  if (!image) {
    const why = `failed to resolve reference ${JSON.stringify(reference)}: not found`;
    tell("Normal", "Pulling", `Pulling image ${JSON.stringify(reference)}`);
    tell("Warning", "Failed", `Failed to pull image ${JSON.stringify(reference)}: rpc error: code = NotFound desc = ${why}`);
    tell("Warning", "Failed", "Error: ErrImagePull");
    return { is: "unpullable", restarts: 0, since: lab.now() };
  }
  const known = state.machines[view.name]?.images.includes(reference);
  if (!known) {
    tell("Normal", "Pulling", `Pulling image ${JSON.stringify(reference)}`);
    state.machines[view.name]?.images.push(reference);
  }
  return { is: "pulling", restarts: 0, until: lab.now() + (known ? PULLED_MS : image.pullMs) };
}

function start(
  cluster: SimulatedCluster,
  view: NodeView,
  pod: KubeObject,
  containers: PodRecord["containers"],
  container: Loose,
  it: ContainerRecord,
  image: Image,
  tell: Tell,
) {
  const now = cluster.lab.now();
  // Talos grants no container the capability to load modules, and does not start one that requests it (docs/facts/kubernetes.md#cilium-on-talos).
  if ((container.securityContext?.capabilities?.add ?? []).includes("SYS_MODULE")) {
    const why =
      "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: unable to apply caps: operation not permitted: unknown";
    tell("Warning", "Failed", `Error: ${why}`);
    const ended = { startedAt: now, finishedAt: now, exitCode: 128, reason: "StartError" };
    containers[container.name] = { is: "ended", restarts: it.restarts, ...(it.last && { last: it.last }), ...ended };
    return lookSoon(cluster);
  }
  try {
    launch(cluster, view, pod, container, it.restarts, image, false);
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    tell("Warning", "Failed", `Error: ${error.message}`);
    containers[container.name] = { ...it, is: "pulling", until: now + FIRST_BACKOFF_MS };
    return lookIn(cluster, FIRST_BACKOFF_MS);
  }
  if (it.restarts === 0) tell("Normal", "Pulled", `Successfully pulled image ${JSON.stringify(container.image)}`);
  tell("Normal", "Created", `Created container: ${container.name}`);
  tell("Normal", "Started", `Started container ${container.name}`);
  const readyAt = image.program ? {} : { readyAt: now + (image.readyMs ?? 0) };
  containers[container.name] = {
    is: "running",
    restarts: it.restarts,
    ...(it.last && { last: it.last }),
    since: now,
    ...readyAt,
  };
  lookIn(cluster, image.program ? CHECK_MS : (image.readyMs ?? 0));
}

function launch(
  cluster: SimulatedCluster,
  view: NodeView,
  pod: KubeObject,
  container: Loose,
  restarts: number,
  image: Image,
  begunAgain: boolean,
): void {
  const env = environmentOf(cluster, pod, container);
  if (!image.program) return;
  startProcess(cluster.lab, {
    life: lifeOf(pod, container.name, restarts),
    standpoint: { cluster: cluster.key, node: view.name, hostNetwork: pod.spec.hostNetwork === true },
    program: image.program,
    process: {
      argv: argvOf(image, container).map((word) => expand(word, env)),
      env,
      files: filesOf(cluster, pod, container),
      begunAgain,
    },
    state: cluster.state,
  });
}

function keepRunning(
  cluster: SimulatedCluster,
  view: NodeView,
  pod: KubeObject,
  container: Loose,
  it: Extract<ContainerRecord, { is: "running" }>,
  image: Image | undefined,
) {
  if (it.readyAt !== undefined) {
    if (it.readyAt > cluster.lab.now()) lookIn(cluster, it.readyAt - cluster.lab.now());
    return;
  }
  if (!image?.program) return;
  // After a restore no program is running; this check notices that.
  if (isAtWork(cluster.lab, lifeOf(pod, container.name, it.restarts), cluster.state)) return lookIn(cluster, CHECK_MS);
  launch(cluster, view, pod, container, it.restarts, image, true);
}

function restarts(pod: KubeObject, container: Loose, exitCode: number, init: boolean): boolean {
  const policy = pod.spec.restartPolicy;
  if ((pod.spec.ephemeralContainers ?? []).includes(container)) return false;
  if (init && container.restartPolicy !== "Always") return exitCode !== 0 && policy !== "Never";
  return policy === "Always" || container.restartPolicy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

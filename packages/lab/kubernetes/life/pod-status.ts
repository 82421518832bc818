import { createHash } from "node:crypto";
import type { SimulatedCluster } from "../cluster.ts";
import { timestamp } from "../identity.ts";
import { findImage } from "../images/images.ts";
import type { KubeObject, Loose } from "../objects.ts";
import type { ContainerRecord, Ended, PodRecord } from "../state.ts";
import { type Condition, withConditions } from "./conditions.ts";

/** The status that a kubelet reports, derived from its containers. */
export function podStatus(cluster: SimulatedCluster, pod: KubeObject, record: PodRecord, blocked: string | undefined): Loose {
  const { spec, status = {} } = pod;
  const now = cluster.lab.now();
  const init: Loose[] = spec.initContainers ?? [];
  const initDone = init.every(({ name, restartPolicy }) => {
    const it = record.containers[name];
    return restartPolicy === "Always" ? it?.is === "running" : it?.is === "ended" && it.exitCode === 0;
  });
  const initFailed = spec.restartPolicy === "Never" && init.some(({ name }) => failed(record.containers[name]));
  const waiting = blocked ?? (init.length > 0 && !initDone ? "PodInitializing" : "ContainerCreating");
  const main = (spec.containers ?? []).map((it: Loose) => containerStatus(it, record.containers[it.name], waiting, now, false));
  const first = init.map((it) => containerStatus(it, record.containers[it.name], waiting, now, true));
  const added = (spec.ephemeralContainers ?? []).map((it: Loose) =>
    containerStatus(it, record.containers[it.name], waiting, now, false),
  );
  const ready = main.length > 0 && main.every((it: Loose) => it.ready);
  const phase = initFailed ? "Failed" : phaseOf(pod, record, initDone);
  const done = phase === "Succeeded" || phase === "Failed";
  const notReady = main.filter((it: Loose) => !it.ready).map((it: Loose) => it.name);
  const reasons: Partial<Condition> =
    phase === "Succeeded"
      ? { reason: "PodCompleted" }
      : phase === "Failed"
        ? { reason: "PodFailed" }
        : ready
          ? {}
          : { reason: "ContainersNotReady", message: `containers with unready status: [${notReady.join(" ")}]` };
  const is = (value: boolean) => (value ? ("True" as const) : ("False" as const));
  return {
    ...status,
    phase,
    startTime: status.startTime ?? timestamp(now),
    ...(first.length > 0 && { initContainerStatuses: first }),
    containerStatuses: main,
    ...(added.length > 0 && { ephemeralContainerStatuses: added }),
    conditions: withConditions(cluster, dropReasons(status.conditions, ready && !done), [
      { type: "PodReadyToStartContainers", status: is(blocked === undefined && !done) },
      { type: "Initialized", status: is(initDone) },
      { type: "Ready", status: is(ready && !done), ...reasons },
      { type: "ContainersReady", status: is(ready && !done), ...reasons },
      { type: "PodScheduled", status: "True" },
    ]),
  };
}

/** The conditions without reason and message once the pod is ready. */
function dropReasons(conditions: Loose[] | undefined, ready: boolean): Loose[] | undefined {
  if (!ready) return conditions;
  return conditions?.map(({ reason: _, message: __, ...rest }) => rest);
}

function failed(it: ContainerRecord | undefined): boolean {
  return it?.is === "ended" && it.exitCode !== 0;
}

function phaseOf({ spec }: KubeObject, { containers }: PodRecord, initDone: boolean): string {
  if (!initDone) return "Pending";
  const all: (ContainerRecord | undefined)[] = (spec.containers ?? []).map(({ name }: Loose) => containers[name]);
  const started = all.filter((it) => it && ["running", "ended", "backing-off"].includes(it.is));
  const over = (it: ContainerRecord | undefined) =>
    it?.is === "ended" && (spec.restartPolicy === "Never" || (spec.restartPolicy === "OnFailure" && it.exitCode === 0));
  if (all.length > 0 && all.every(over)) return all.some(failed) ? "Failed" : "Succeeded";
  const restarted = all.some((it) => (it?.restarts ?? 0) > 0);
  return started.length > 0 || restarted ? "Running" : "Pending";
}

function containerStatus(container: Loose, it: ContainerRecord | undefined, waiting: string, now: number, init: boolean): Loose {
  const exists = it !== undefined && it.is !== "unpullable" && it.is !== "pulling";
  return {
    name: container.name,
    state: stateOf(container, it, waiting, now),
    lastState: it?.is === "backing-off" ? terminated(it) : it?.last ? terminated(it.last) : {},
    ready: isReady(container, it, now, init),
    restartCount: it?.restarts ?? 0,
    image: container.image,
    imageID: exists ? `${container.image.replace(/(@.*|:[^/]*)$/, "")}@sha256:${digest(container.image)}` : "",
    ...(exists && { containerID: `containerd://${digest(`${container.name} ${it.restarts} ${container.image}`)}` }),
    started: it?.is === "running",
  };
}

/** Without a probe a container is ready while it runs; with one, when its program has reported that it is up. */
function isReady(container: Loose, it: ContainerRecord | undefined, now: number, init: boolean): boolean {
  if (it?.is === "ended") return init && it.exitCode === 0;
  if (it?.is !== "running") return false;
  if (it.readyAt !== undefined) return it.readyAt <= now;
  return !container.readinessProbe && !container.startupProbe && findImage(container.image)?.cni !== true;
}

function stateOf(container: Loose, it: ContainerRecord | undefined, waiting: string, now: number): Loose {
  switch (it?.is) {
    case "running":
      return { running: { startedAt: timestamp(it.since) } };
    case "ended":
      return terminated(it);
    case "backing-off":
      if (it.until <= now) return terminated(it);
      return {
        waiting: {
          reason: "CrashLoopBackOff",
          message: `back-off ${Math.round((it.until - it.finishedAt) / 1000)}s restarting failed container=${container.name}`,
        },
      };
    case "unpullable": {
      const image = JSON.stringify(container.image);
      const why = `rpc error: code = NotFound desc = failed to pull and unpack image ${image}: not found`;
      if (now - it.since < BACKOFF_AFTER_MS) return { waiting: { reason: "ErrImagePull", message: why } };
      return { waiting: { reason: "ImagePullBackOff", message: `Back-off pulling image ${image}: ErrImagePull: ${why}` } };
    }
    default:
      return { waiting: { reason: waiting } };
  }
}

const BACKOFF_AFTER_MS = 10_000;

function terminated({ exitCode, reason, startedAt, finishedAt }: Ended): Loose {
  return { terminated: { exitCode, reason, startedAt: timestamp(startedAt), finishedAt: timestamp(finishedAt) } };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

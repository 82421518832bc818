import { deleteObject } from "../api/delete.ts";
import type { SimulatedCluster } from "../cluster.ts";
import { timestamp } from "../identity.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { lookIn } from "../store/look.ts";
import { all, put, read } from "../store/store.ts";
import { type Condition, isFinished, isReady, isTrue, withConditions } from "./conditions.ts";
import { say } from "./events.ts";
import { createPod, deletePod, podsOf } from "./pods-of.ts";

const JOBS = builtin("jobs.batch");
const FIRST_BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = 600_000;
const REAL_WORK_MS = 20_000;

export function runJobs(cluster: SimulatedCluster): void {
  for (const job of all(cluster, JOBS)) {
    if (job.metadata.deletionTimestamp !== undefined) continue;
    if (isTrue(job, "Complete") || isTrue(job, "Failed")) expire(cluster, job);
    else runJob(cluster, job);
  }
}

interface Count {
  active: KubeObject[];
  succeeded: number;
  failed: KubeObject[];
}

function countPods(cluster: SimulatedCluster, job: KubeObject): Count {
  const pods = podsOf(cluster, job);
  const gone = (pod: KubeObject) => pod.metadata.deletionTimestamp !== undefined;
  return {
    active: pods.filter((pod) => !isFinished(pod) && !gone(pod)),
    succeeded: pods.filter((pod) => pod.status?.phase === "Succeeded").length,
    failed: pods.filter((pod) => pod.status?.phase === "Failed"),
  };
}

function runJob(cluster: SimulatedCluster, job: KubeObject) {
  const { spec } = job;
  const now = cluster.lab.now();
  const count = countPods(cluster, job);
  const started = job.status?.startTime ? Date.parse(job.status.startTime) : now;
  const deadline = spec.activeDeadlineSeconds === undefined ? undefined : started + limitOf(cluster, spec.activeDeadlineSeconds);
  const restarts = spec.template.spec.restartPolicy === "OnFailure" ? restartsOf(count.active) : 0;
  const wanted = spec.completions ?? 1;
  if (count.failed.length + restarts > spec.backoffLimit) {
    return finish(cluster, job, count, failure("BackoffLimitExceeded", "Job has reached the specified backoff limit"));
  }
  if (deadline !== undefined && now >= deadline) {
    return finish(cluster, job, count, failure("DeadlineExceeded", "Job was active longer than specified deadline"));
  }
  if (count.succeeded >= wanted && (spec.completions !== undefined || count.active.length === 0)) {
    return finish(cluster, job, count, success());
  }
  if (deadline !== undefined) lookIn(cluster, deadline - now);
  if (spec.suspend) for (const pod of count.active) deletePod(cluster, pod);
  else startPods(cluster, job, count, wanted);
  writeStatus(cluster, job, countPods(cluster, job), started, []);
}

/**
 * Programs do real work, and one second of it is half an hour in a fast lab: in the world's time a deadline is never shorter than specified, up to
 * a limit.
 */
function limitOf({ lab }: SimulatedCluster, seconds: number): number {
  const ms = seconds * 1000;
  return Math.max(ms, Math.min(ms, REAL_WORK_MS) * lab.timeScale);
}

function startPods(cluster: SimulatedCluster, job: KubeObject, count: Count, wanted: number) {
  const again = nextTry(count.failed);
  const now = cluster.lab.now();
  if (again > now) return lookIn(cluster, again - now);
  const room = Math.min(job.spec.parallelism, wanted - count.succeeded) - count.active.length;
  for (let n = 0; n < room; n++) createPod(cluster, job, {}, "job-controller");
}

/** The time of the next attempt: the pause grows with each failure. */
function nextTry(failed: readonly KubeObject[]): number {
  if (failed.length === 0) return 0;
  const ends = failed.map(({ status }) => {
    const times = (status?.containerStatuses ?? []).map((it: Loose) => Date.parse(it.state?.terminated?.finishedAt ?? 0));
    return Math.max(0, ...times.filter((time: number) => !Number.isNaN(time)));
  });
  return Math.max(...ends) + Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failed.length - 1));
}

function restartsOf(pods: readonly KubeObject[]): number {
  return pods
    .flatMap(({ status }) => status?.containerStatuses ?? [])
    .reduce((sum, it: Loose) => sum + (it.restartCount ?? 0), 0);
}

function success(): Condition[] {
  const reason = { reason: "CompletionsReached", message: "Reached expected number of succeeded pods" };
  return [
    { type: "SuccessCriteriaMet", status: "True", ...reason },
    { type: "Complete", status: "True", ...reason },
  ];
}

function failure(reason: string, message: string): Condition[] {
  return [
    { type: "FailureTarget", status: "True", reason, message },
    { type: "Failed", status: "True", reason, message },
  ];
}

function finish(cluster: SimulatedCluster, job: KubeObject, count: Count, conditions: Condition[]): void {
  for (const pod of count.active) deletePod(cluster, pod);
  const started = job.status?.startTime ? Date.parse(job.status.startTime) : cluster.lab.now();
  writeStatus(cluster, job, { ...count, active: [] }, started, conditions);
  const failed = conditions.find(({ type }) => type === "Failed");
  const event = failed
    ? { type: "Warning" as const, reason: failed.reason ?? "", message: failed.message ?? "" }
    : { type: "Normal" as const, reason: "Completed", message: "Job completed" };
  say(cluster, job, { ...event, component: "job-controller" });
  const { ttlSecondsAfterFinished: ttl } = job.spec;
  if (ttl !== undefined) lookIn(cluster, ttl * 1000);
}

function writeStatus(
  cluster: SimulatedCluster,
  { metadata }: KubeObject,
  count: Count,
  started: number,
  conditions: Condition[],
): void {
  const job = read(cluster, JOBS, metadata.namespace, metadata.name);
  if (!job) return;
  const now = timestamp(cluster.lab.now());
  const complete = conditions.some(({ type }) => type === "Complete");
  put(cluster, JOBS, {
    ...job,
    status: {
      startTime: timestamp(started),
      ...(count.active.length > 0 && { active: count.active.length }),
      ...(count.succeeded > 0 && { succeeded: count.succeeded }),
      ...(count.failed.length > 0 && { failed: count.failed.length }),
      ready: count.active.filter(isReady).length,
      terminating: 0,
      uncountedTerminatedPods: {},
      ...(complete && { completionTime: now }),
      ...(conditions.length > 0 && {
        conditions: withConditions(cluster, job.status?.conditions, conditions, { lastProbeTime: now }),
      }),
    },
  });
}

function expire(cluster: SimulatedCluster, job: KubeObject): void {
  const { ttlSecondsAfterFinished: ttl } = job.spec;
  if (ttl === undefined) return;
  const [last] = (job.status?.conditions ?? [])
    .map((it: Loose) => Date.parse(it.lastTransitionTime))
    .sort((a: number, b: number) => b - a);
  const left = last + ttl * 1000 - cluster.lab.now();
  if (left > 0) lookIn(cluster, left);
  else deleteObject(cluster, JOBS, job, { propagation: "Background" });
}

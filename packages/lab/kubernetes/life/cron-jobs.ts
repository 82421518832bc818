import { deleteObject } from "../api/delete.ts";
import { createObject, quietly } from "../api/write.ts";
import type { SimulatedCluster } from "../cluster.ts";
import { timestamp } from "../identity.ts";
import type { KubeObject } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { lookIn } from "../store/look.ts";
import { all, put, read } from "../store/store.ts";
import { isTrue } from "./conditions.ts";
import { nextTime } from "./cron-schedule.ts";
import { say } from "./events.ts";
import { isOwnedBy, ownerOf } from "./pods-of.ts";

const CRON_JOBS = builtin("cronjobs.batch");
const JOBS = builtin("jobs.batch");
const MINUTE = 60_000;

export function runCronJobs(cluster: SimulatedCluster): void {
  for (const cron of all(cluster, CRON_JOBS)) if (cron.metadata.deletionTimestamp === undefined) runCronJob(cluster, cron);
}

function runCronJob(cluster: SimulatedCluster, cron: KubeObject): void {
  const jobs = all(cluster, JOBS, cron.metadata.namespace).filter((job) => isOwnedBy(job, cron));
  const active = jobs.filter((job) => !isOver(job));
  forgetOld(cluster, cron, jobs);
  const last = Date.parse(cron.status?.lastScheduleTime ?? cron.metadata.creationTimestamp);
  const now = cluster.lab.now();
  const due = cron.spec.suspend ? undefined : dueTime(cron.spec.schedule, last, now);
  let status = cron.status ?? {};
  if (due !== undefined && due > now) lookIn(cluster, due - now);
  else if (due !== undefined) status = start(cluster, cron, due, active) ?? status;
  const refs = all(cluster, JOBS, cron.metadata.namespace)
    .filter((job) => isOwnedBy(job, cron) && !isOver(job))
    .map(({ metadata }) => ({
      apiVersion: "batch/v1",
      kind: "Job",
      name: metadata.name,
      namespace: metadata.namespace,
      uid: metadata.uid,
    }));
  const succeeded = jobs
    .flatMap((job) => job.status?.completionTime ?? [])
    .sort()
    .at(-1);
  const { active: _, ...rest } = status;
  const current = read(cluster, CRON_JOBS, cron.metadata.namespace, cron.metadata.name) ?? cron;
  put(cluster, CRON_JOBS, {
    ...current,
    status: {
      ...rest,
      ...(refs.length > 0 && { active: refs }),
      ...(succeeded !== undefined && { lastSuccessfulTime: succeeded }),
    },
  });
}

/** The last missed time, or else the next one: earlier missed times are skipped. */
function dueTime(schedule: string, last: number, now: number): number | undefined {
  const next = nextTime(schedule, last);
  if (next === undefined || next > now) return next;
  let due = next;
  for (let later = nextTime(schedule, due), n = 0; later !== undefined && later <= now && n < MOST_MISSED; n++) {
    due = later;
    later = nextTime(schedule, due);
  }
  return due;
}

const MOST_MISSED = 100;

function isOver(job: KubeObject): boolean {
  return isTrue(job, "Complete") || isTrue(job, "Failed");
}

function start(cluster: SimulatedCluster, cron: KubeObject, due: number, active: readonly KubeObject[]): KubeObject["status"] {
  const status = { ...cron.status, lastScheduleTime: timestamp(due) };
  if (active.length > 0 && cron.spec.concurrencyPolicy === "Forbid") return status;
  if (active.length > 0 && cron.spec.concurrencyPolicy === "Replace") {
    for (const job of active) deleteObject(cluster, JOBS, job, {});
  }
  const { metadata = {}, spec } = structuredClone(cron.spec.jobTemplate);
  const name = `${cron.metadata.name}-${Math.floor(due / MINUTE)}`;
  if (read(cluster, JOBS, cron.metadata.namespace, name)) return status;
  const job = { apiVersion: "batch/v1", kind: "Job", metadata: { ...metadata, name, ownerReferences: [ownerOf(cron)] }, spec };
  createObject(cluster, JOBS, cron.metadata.namespace, job, quietly());
  const message = `Created job ${name}`;
  say(cluster, cron, { type: "Normal", reason: "SuccessfulCreate", message, component: "cronjob-controller" });
  return status;
}

function forgetOld(cluster: SimulatedCluster, { spec }: KubeObject, jobs: readonly KubeObject[]): void {
  for (const [type, limit] of [
    ["Complete", spec.successfulJobsHistoryLimit ?? 3],
    ["Failed", spec.failedJobsHistoryLimit ?? 1],
  ] as const) {
    const done = jobs.filter((job) => isTrue(job, type)).sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    for (const job of done.slice(0, Math.max(0, done.length - limit))) deleteObject(cluster, JOBS, job, {});
  }
}

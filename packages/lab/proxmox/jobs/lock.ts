import type { Lab } from "../../kernel/kernel.ts";
import type { ProxmoxState } from "../state.ts";
import { JOB, type Job } from "./job.ts";

/** How long a worker waits for a lock (docs/facts/proxmox.md#locks). */
export const CONFIG_WAIT = 10_000;
export const RESERVATION_WAIT = 5_000;
export const WORKER_WAIT = 1_000;
export const STORAGE_WAIT = 10_000;
/** For the machine whose disk is being imported. */
export const IMPORT_WAIT = 30_000;

export function configLock(vmid: number): string {
  return `/var/lock/qemu-server/lock-${vmid}.conf`;
}

/** The lock of a storage: local storages are locked per host, shared ones in the whole cluster. An unknown storage is refused later. */
export function storageLock(state: ProxmoxState, storage: string): string {
  const shared = state.storages.some(({ id, shared }) => id === storage && shared);
  return shared ? `${CLUSTER}'storage-${storage}'` : `/var/lock/pve-manager/pve-storage-${storage}`;
}

const CLUSTER = "cfs-lock ";

/** The log line while waiting for a lock. */
export function lockWaiting(path: string): string {
  return path.startsWith(CLUSTER) ? `trying to acquire cfs lock ${path.slice(CLUSTER.length)} ...` : "trying to acquire lock...";
}

export function lockTimeout(path: string): string {
  return path.startsWith(CLUSTER) ? `${path} error: got lock request timeout` : `can't lock file '${path}' - got timeout`;
}

/** Lock files are local to a host: the same name on another host is another lock. */
function keyOf(job: Job, path: string): string {
  return path.startsWith(CLUSTER) ? path : `${job.node} ${path}`;
}

/** Tries to take a lock; true when the job holds it. The longest waiting job is first. */
export function tryLock(state: ProxmoxState, job: Job, path: string, shared: boolean): boolean {
  const key = keyOf(job, path);
  const lock = state.locks.find((held) => held.path === key);
  if (!lock) {
    state.locks.push({ path: key, holders: [job.id], shared });
  } else if (lock.shared && shared) {
    lock.holders.push(job.id);
  } else if (!lock.holders.includes(job.id)) {
    return false;
  }
  if (!job.holds.includes(path)) job.holds.push(path);
  return true;
}

export function unlock(lab: Lab, state: ProxmoxState, job: Job, path: string): void {
  const key = keyOf(job, path);
  job.holds = job.holds.filter((held) => held !== path);
  const lock = state.locks.find((held) => held.path === key);
  if (!lock) return;
  lock.holders = lock.holders.filter((holder) => holder !== job.id);
  if (lock.holders.length > 0) return;
  state.locks = state.locks.filter((held) => held !== lock);
  for (const waiting of state.jobs) {
    const step = waiting.steps[0];
    if (waiting.until !== undefined && step && "lock" in step && keyOf(waiting, step.lock) === key)
      lab.schedule(JOB, 0, { job: waiting.id });
  }
}

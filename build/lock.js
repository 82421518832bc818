import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 100;
const BEAT_MS = 1000;
/** A holder that has shown no sign for so long is gone, whoever has its pid by now. */
const SILENT_MS = 30_000;

/**
 * Does the work while no other process does. The lock is a folder, renamed into place with its holder's name inside: a
 * rename onto a folder that is not empty fails, so there is one winner and never a lock without a name.
 */
export async function withLock(folder, say, work) {
  mkdirSync(folder, { recursive: true });
  const lock = join(folder, ".install-lock");
  await acquire(folder, lock, say);
  const beat = setInterval(() => touch(lock), BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    rmSync(lock, { recursive: true, force: true });
  }
}

async function acquire(folder, lock, say) {
  const mine = mkdtempSync(join(folder, ".lock-"));
  writeFileSync(join(mine, "holder"), JSON.stringify({ pid: process.pid, space: pidSpace(), token: mine.slice(-6) }));
  const watch = { beat: 0, since: performance.now() };
  for (let waits = 0; !renamed(mine, lock); waits++) {
    if (waits === 1) say("waiting for another talosmith that is installing …");
    const holder = holderOf(lock);
    if (holder && gone(lock, holder, watch)) bury(folder, lock, holder);
    else await sleep(POLL_MS);
  }
}

function renamed(from, to) {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (error.code === "ENOTEMPTY" || error.code === "EEXIST") return false;
    throw error;
  }
}

function holderOf(lock) {
  try {
    return JSON.parse(readFileSync(join(lock, "holder"), "utf8"));
  } catch {
    return undefined;
  }
}

function gone(lock, holder, watch) {
  if (holder.space === pidSpace() && !isAlive(holder.pid)) return true;
  const beat = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (beat !== watch.beat) Object.assign(watch, { beat, since: performance.now() });
  return performance.now() - watch.since > SILENT_MS;
}

/** Where a pid means the same process: one boot of one kernel, and one pid namespace. A container that shares the clone has another. */
export function pidSpace() {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Out of the way under the dead holder's own name, where it stays: a second undertaker, late, cannot carry off the next one's lock. */
function bury(folder, lock, { pid, token }) {
  try {
    renameSync(lock, join(folder, `.dead-lock-${pid}-${token}`));
  } catch {}
}

function touch(lock) {
  try {
    const now = new Date();
    utimesSync(lock, now, now);
  } catch {}
}

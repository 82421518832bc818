import { messageOf } from "@talosmith/lib/errors.ts";
import type { Manifest } from "../objects.ts";
import type { Process } from "../pods/program.ts";
import { ApiRefusal } from "./api.ts";
import { duration } from "./argv.ts";
import { runHooks } from "./hooks.ts";
import { type Job, TIMEOUT } from "./job.ts";
import type { Release } from "./release.ts";
import type { Rendered } from "./render.ts";
import { applyObjects } from "./resources.ts";
import { waitUntilReady } from "./wait.ts";

/** A program that was running when the lab was restored finds its own record. */
export async function createRecord({ run, releases }: Job, release: Release): Promise<void> {
  try {
    await releases.create(release);
  } catch (error) {
    if (!(run.begunAgain && error instanceof ApiRefusal && error.status === 409)) throw error;
    await releases.update(release);
  }
}

/** Runs hooks; a failure is reported with the event of its hook, as Helm does. */
async function hooks(job: Job, release: Release, event: string, timeout: number): Promise<void> {
  try {
    await runHooks(job, release, event, timeout);
  } catch (error) {
    if (job.run.signal.aborted) throw error;
    throw new Error(`failed ${event}: ${messageOf(error)}`);
  }
}

export async function deploy(
  job: Job,
  release: Release,
  { objects }: Rendered,
  before: readonly Manifest[],
  what: "install" | "upgrade",
): Promise<void> {
  const { run, api, args, owner } = job;
  const timeout = duration(args.text.timeout ?? TIMEOUT);
  await hooks(job, release, `pre-${what}`, timeout);
  await applyObjects(api, before, objects, owner);
  if (args.on.has("wait") || args.on.has("atomic")) {
    await waitUntilReady(run, api, objects, owner.namespace, timeout, args.on.has("wait-for-jobs") ? "finished" : "started");
  }
  await hooks(job, release, `post-${what}`, timeout);
}

export async function recordFailure({ run, releases }: Job, release: Release, error: unknown, title: string): Promise<void> {
  if (run.signal.aborted) throw error;
  release.info = {
    ...release.info,
    status: "failed",
    description: `${title}: ${messageOf(error)}`,
  };
  await releases.update(release);
}

/** Prints the final lines of the real helm. */
export function tell(run: Process, { name, info, namespace, version }: Release): void {
  const [day, date, month, year, time] = new Date(info.last_deployed).toUTCString().replace(",", "").split(" ");
  run.log(`NAME: ${name}`);
  run.log(`LAST DEPLOYED: ${day} ${month} ${String(Number(date)).padStart(2)} ${time} ${year}`);
  run.log(`NAMESPACE: ${namespace}`);
  run.log(`STATUS: ${info.status}`);
  run.log(`REVISION: ${version}`);
  run.log("TEST SUITE: None");
  if (info.notes) run.log(`NOTES:\n${info.notes.trimEnd()}`);
}

import type { Manifest } from "../objects.ts";
import type { Process } from "../pods/program.ts";
import { ApiRefusal, type ClusterApi } from "./api.ts";
import { duration, type HelmArguments } from "./argv.ts";
import { runHooks } from "./hooks.ts";
import type { Release, Releases } from "./release.ts";
import type { Rendered } from "./render.ts";
import { applyObjects, type Owner } from "./resources.ts";
import { waitUntilReady } from "./wait.ts";

const TIMEOUT = "5m0s";

/** One run of helm that changes a release. */
export interface Job {
  run: Process;
  api: ClusterApi;
  args: HelmArguments;
  releases: Releases;
  owner: Owner;
}

/** A program that was under way when the lab was restored finds its own record. */
export async function createRecord({ run, releases }: Job, release: Release): Promise<void> {
  try {
    await releases.create(release);
  } catch (error) {
    if (!(run.begunAgain && error instanceof ApiRefusal && error.status === 409)) throw error;
    await releases.update(release);
  }
}

export async function deploy(
  { run, api, args, owner }: Job,
  rendered: Rendered,
  before: readonly Manifest[],
  what: string,
): Promise<void> {
  const timeout = duration(args.text.timeout ?? TIMEOUT);
  const hooks = args.on.has("no-hooks") ? [] : rendered.hooks;
  await runHooks(run, api, hooks, `pre-${what}`, owner.namespace, timeout);
  await applyObjects(api, before, rendered.objects, owner);
  if (args.on.has("wait") || args.on.has("atomic")) {
    await waitUntilReady(run, api, rendered.objects, owner.namespace, timeout, args.on.has("wait-for-jobs"));
  }
  await runHooks(run, api, hooks, `post-${what}`, owner.namespace, timeout);
}

export async function recordFailure({ run, releases }: Job, release: Release, error: unknown, title: string): Promise<void> {
  if (run.signal.aborted) throw error;
  release.info = {
    ...release.info,
    status: "failed",
    description: `${title}: ${error instanceof Error ? error.message : String(error)}`,
  };
  await releases.update(release);
}

export function timestampOf(run: Process): string {
  return new Date(run.now()).toISOString().replace("Z", "000000Z");
}

/** The lines the real one ends with. */
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

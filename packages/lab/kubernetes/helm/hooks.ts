import { messageOf } from "@talosmith/lib/errors.ts";
import type { Manifest } from "../objects.ts";
import { timestampOf } from "./clock.ts";
import { NEVER } from "./hook-record.ts";
import type { Job } from "./job.ts";
import type { Hook, Release } from "./release.ts";
import { objectsOf } from "./render.ts";
import { waitUntilReady } from "./wait.ts";

/** Runs a chart's hooks for one event, by weight and name, each finished before the next. */
export async function runHooks(job: Job, release: Release, event: string, timeoutMs: number): Promise<void> {
  const { run, api, args, releases, owner } = job;
  if (args.on.has("no-hooks")) return;
  const chosen = (release.hooks ?? []).filter(({ events }) => events.includes(event));
  chosen.sort((a, b) => (a.weight ?? 0) - (b.weight ?? 0) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  for (const hook of chosen) {
    hook.delete_policies ??= ["before-hook-creation"];
    const [object] = objectsOf(hook.manifest);
    if (!object) continue;
    if (hook.delete_policies.includes("before-hook-creation")) await removeHook(job, hook, object);
    hook.last_run = { ...NEVER, started_at: timestampOf(run), phase: "Running" };
    await releases.update(release);
    const { list, namespace } = await api.place(object, owner.namespace);
    try {
      await api.call("POST", list, {
        ...object,
        metadata: { ...object.metadata, ...(namespace !== undefined && { namespace }) },
      });
    } catch (error) {
      hook.last_run = { ...hook.last_run, completed_at: timestampOf(run), phase: "Failed" };
      throw new Error(`warning: Hook ${event} ${hook.path} failed: ${messageOf(error)}`);
    }
    try {
      if (object.kind === "Job" || object.kind === "Pod")
        await waitUntilReady(run, api, [object], owner.namespace, timeoutMs, "finished");
      hook.last_run = { ...hook.last_run, completed_at: timestampOf(run), phase: "Succeeded" };
    } catch (error) {
      if (run.signal.aborted) throw error;
      hook.last_run = { ...hook.last_run, completed_at: timestampOf(run), phase: "Failed" };
      if (hook.delete_policies.includes("hook-failed")) await removeHook(job, hook, object);
      const reason = messageOf(error);
      throw new Error(reason === "context deadline exceeded" ? `timed out waiting for the condition` : reason);
    }
  }
  for (const hook of chosen.reverse()) {
    const [object] = objectsOf(hook.manifest);
    if (object && hook.delete_policies?.includes("hook-succeeded")) await removeHook(job, hook, object);
  }
}

async function removeHook({ run, api, owner }: Job, { kind }: Hook, object: Manifest): Promise<void> {
  // Deleting a definition would delete all its objects.
  if (kind === "CustomResourceDefinition") return;
  if (!(await api.read(object, owner.namespace))) return;
  const { one } = await api.place(object, owner.namespace);
  await api.call("DELETE", one, { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" });
  while (await api.read(object, owner.namespace)) await run.sleep(1000);
}

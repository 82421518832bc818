import type { Manifest } from "../objects.ts";
import type { Process } from "../pods/program.ts";
import type { ClusterApi } from "./api.ts";
import { waitUntilReady } from "./wait.ts";

/** What a chart does before and after: its hooks for one event, by their weight, each finished before the next. */
export async function runHooks(
  run: Process,
  api: ClusterApi,
  hooks: readonly Manifest[],
  event: string,
  namespace: string,
  timeoutMs: number,
): Promise<void> {
  const note = (hook: Manifest, name: string) => hook.metadata.annotations?.[`helm.sh/${name}`] ?? "";
  const events = (hook: Manifest) =>
    note(hook, "hook")
      .split(",")
      .map((part) => part.trim());
  const chosen = hooks.filter((hook) => events(hook).includes(event));
  chosen.sort(
    (a, b) =>
      Number(note(a, "hook-weight")) - Number(note(b, "hook-weight")) ||
      (String(a.metadata.name) < String(b.metadata.name) ? -1 : 1),
  );
  for (const hook of chosen) {
    const policies = (note(hook, "hook-delete-policy") || "before-hook-creation").split(",").map((part) => part.trim());
    const { list, one } = await api.place(hook, namespace);
    const remove = () => api.call("DELETE", one, { propagationPolicy: "Background" });
    if (policies.includes("before-hook-creation") && (await api.read(hook, namespace))) {
      await remove();
      while (await api.read(hook, namespace)) await run.sleep(1000);
    }
    await api.call("POST", list, { ...hook, metadata: { ...hook.metadata, namespace: hook.metadata.namespace ?? namespace } });
    try {
      if (hook.kind === "Job") await waitUntilReady(run, api, [hook], namespace, timeoutMs, true);
    } catch (error) {
      if (policies.includes("hook-failed")) await remove();
      throw new Error(`failed ${event}: 1 error occurred:\n\t* ${error instanceof Error ? error.message : String(error)}\n`);
    }
    if (policies.includes("hook-succeeded")) await remove();
  }
}

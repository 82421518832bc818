import type { Process } from "../pods/program.ts";
import type { ClusterApi } from "./api.ts";
import { duration, type HelmArguments } from "./argv.ts";
import { timestampOf } from "./clock.ts";
import { runHooks } from "./hooks.ts";
import { type Job, TIMEOUT } from "./job.ts";
import { type Release, Releases } from "./release.ts";
import { objectsOf, uninstallOrder } from "./render.ts";
import { deleteObjects, isKept } from "./resources.ts";

/** `helm uninstall RELEASE…` */
export async function uninstall(run: Process, api: ClusterApi, args: HelmArguments): Promise<void> {
  if (args.words.length === 0)
    throw new Error(`"helm uninstall" requires at least 1 argument\n\nUsage:  helm uninstall RELEASE_NAME [...] [flags]`);
  const namespace = args.text.namespace ?? run.env.HELM_NAMESPACE ?? api.namespace;
  await api.version();
  const releases = new Releases(api, namespace, run.now);
  for (const name of args.words) {
    const job: Job = { run, api, args, releases, owner: { name, namespace } };
    const history = await releases.history(name);
    const last = history.at(-1);
    if (last) {
      await remove(job, history, last);
      run.log(`release ${JSON.stringify(name)} uninstalled`);
    } else if (!args.on.has("ignore-not-found")) {
      throw new Error(`uninstall: Release not loaded: ${name}: release: not found`);
    }
  }
}

async function remove(job: Job, history: readonly Release[], last: Release): Promise<void> {
  const { run, api, args, releases, owner } = job;
  const purge = async () => {
    for (const release of history) await releases.remove(release);
  };
  const keeps = args.on.has("keep-history");
  if (last.info.status === "uninstalled") {
    if (keeps) throw new Error(`the release named ${JSON.stringify(last.name)} is already deleted`);
    return purge();
  }
  const timeout = duration(args.text.timeout ?? TIMEOUT);
  last.info = {
    ...last.info,
    status: "uninstalling",
    deleted: timestampOf(run),
    description: "Deletion in progress (or silently failed)",
  };
  await runHooks(job, last, "pre-delete", timeout);
  await releases.update(last);
  const objects = uninstallOrder(objectsOf(last.manifest));
  const kept = objects.filter(isKept);
  await deleteObjects(api, objects, owner);
  if (kept.length > 0) {
    run.log("These resources were kept due to the resource policy:");
    for (const { kind, metadata } of kept) run.log(`[${kind}] ${metadata.name}`);
    run.log("");
  }
  if (args.on.has("wait")) {
    for (const object of objects.filter((it) => !isKept(it))) {
      while (await api.read(object, owner.namespace)) await run.sleep(1000);
    }
  }
  await runHooks(job, last, "post-delete", timeout);
  if (!keeps) return purge();
  await releases.update({
    ...last,
    info: { ...last.info, status: "uninstalled", description: args.text.description ?? "Uninstallation complete" },
  });
}

import type { Loose, Manifest } from "../objects.ts";
import type { ClusterApi } from "./api.ts";
import type { Chart } from "./chart.ts";
import { timestampOf } from "./clock.ts";
import { createRecord, deploy, recordFailure, tell } from "./deploy.ts";
import type { Job } from "./job.ts";
import { customLabels, type Release } from "./release.ts";
import { render } from "./render.ts";
import { deleteObjects, refuseForeign } from "./resources.ts";
import { waitUntilReady } from "./wait.ts";

/** Installs the first revision of a release, or the first after an uninstallation. */
export async function installRelease(
  job: Job,
  chart: Chart,
  values: Loose,
  kubeVersion: string,
  last: Release | undefined,
): Promise<void> {
  const { run, api, args, releases, owner } = job;
  const version = (last?.version ?? 0) + 1;
  const rendered = render(chart, values, {
    ...owner,
    revision: version,
    isInstall: true,
    kubeVersion,
    apiVersions: await api.apiVersions(),
  });
  if (!args.on.has("skip-crds")) await installDefinitions(job, rendered.definitions);
  if (!args.on.has("take-ownership")) await refuseForeign(api, rendered.objects, owner, "install");
  if (args.on.has("create-namespace")) await ensureNamespace(api, owner.namespace);
  const now = timestampOf(run);
  const release: Release = {
    name: owner.name,
    info: {
      first_deployed: now,
      last_deployed: now,
      deleted: "",
      description: "Initial install underway",
      status: "pending-install",
      notes: rendered.notes,
    },
    chart,
    config: values,
    manifest: rendered.manifest,
    ...(rendered.hooks.length > 0 && { hooks: rendered.hooks }),
    version,
    namespace: owner.namespace,
    labels: customLabels(args.lists.labels ?? []),
  };
  await createRecord(job, release);
  try {
    await deploy(job, release, rendered, [], "install");
    release.info = { ...release.info, status: "deployed", description: args.text.description ?? "Install complete" };
  } catch (error) {
    await recordFailure(job, release, error, `Release ${JSON.stringify(owner.name)} failed`);
    if (!args.on.has("atomic")) throw error;
    await deleteObjects(api, rendered.objects, owner);
    await releases.remove(release);
    throw new Error(
      `release ${owner.name} failed, and has been uninstalled due to atomic being set: ${(error as Error).message}`,
    );
  }
  await releases.update(release);
  tell(run, release);
}

async function installDefinitions({ run, api }: Job, definitions: readonly Manifest[]): Promise<void> {
  for (const definition of definitions) {
    const { list } = await api.place(definition, "");
    if (!(await api.read(definition, ""))) await api.call("POST", list, definition);
  }
  if (definitions.length === 0) return;
  await waitUntilReady(run, api, definitions, "", 60_000, "started");
  api.forgetKinds();
}

async function ensureNamespace(api: ClusterApi, name: string): Promise<void> {
  if (await api.call("GET", `/api/v1/namespaces/${name}`)) return;
  await api.call("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: { name } } });
}

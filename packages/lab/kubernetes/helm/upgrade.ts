import { messageOf } from "@talosmith/lib/errors.ts";
import type { Loose } from "../objects.ts";
import type { Process } from "../pods/program.ts";
import type { ClusterApi } from "./api.ts";
import type { HelmArguments } from "./argv.ts";
import type { Chart } from "./chart.ts";
import { timestampOf } from "./clock.ts";
import { createRecord, deploy, recordFailure, tell } from "./deploy.ts";
import { installRelease } from "./install.ts";
import type { Job } from "./job.ts";
import { customLabels, isPending, type Release, Releases } from "./release.ts";
import { objectsOf, render } from "./render.ts";
import { fetchChart } from "./repository.ts";
import { refuseForeign } from "./resources.ts";
import { rollbackTo } from "./rollback.ts";
import { givenValues, overlay } from "./values.ts";

const KEPT_REVISIONS = 10;

/** `helm install` and `helm upgrade [--install]`. */
export async function upgrade(run: Process, api: ClusterApi, args: HelmArguments): Promise<void> {
  const [name, chartName] = args.words;
  if (name === undefined || chartName === undefined) throw new Error(`"helm ${args.command}" requires 2 arguments`);
  const namespace = args.text.namespace ?? run.env.HELM_NAMESPACE ?? api.namespace;
  const kubeVersion = await api.version();
  const releases = new Releases(api, namespace, run.now);
  const job: Job = { run, api, args, releases, owner: { name, namespace } };
  const all = await releases.history(name);
  // After a restart, the pending revision is this run's own.
  const history = run.begunAgain ? all.filter((release) => !isPending(release)) : all;
  const last = history.at(-1);
  const install =
    args.command === "install" || (args.on.has("install") && (last === undefined || last.info.status === "uninstalled"));
  if (install && args.command === "upgrade") run.log(`Release ${JSON.stringify(name)} does not exist. Installing it now.`);
  const chart = await fetchChart(run, {
    chart: chartName,
    repository: args.text.repo ?? "",
    ...(args.text.version !== undefined && { version: args.text.version }),
  });
  const values = valuesOf(run, args);
  if (install) {
    if (args.command === "install" && last)
      await failing("INSTALLATION FAILED", async () => refuse("cannot reuse a name that is still in use"));
    await failing(args.command === "install" ? "INSTALLATION FAILED" : undefined, () =>
      installRelease(job, chart, values, kubeVersion, last),
    );
  } else {
    await failing("UPGRADE FAILED", () => upgradeRelease(job, chart, values, kubeVersion, history));
  }
}

function refuse(message: string): never {
  throw new Error(message);
}

async function failing(prefix: string | undefined, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const message = messageOf(error);
    throw new Error(prefix === undefined ? message : `${prefix}: ${message}`);
  }
}

function valuesOf(run: Process, { lists }: HelmArguments): Loose {
  const files = (lists.values ?? []).map((path) => {
    const text = run.files[path];
    if (text === undefined) throw new Error(`open ${path}: no such file or directory`);
    return text;
  });
  return givenValues(files, lists.set ?? [], lists["set-string"] ?? []);
}

async function upgradeRelease(
  job: Job,
  chart: Chart,
  values: Loose,
  kubeVersion: string,
  history: readonly Release[],
): Promise<void> {
  const { run, api, args, releases, owner } = job;
  const last = history.at(-1);
  if (!last) return refuse(`${JSON.stringify(owner.name)} has no deployed releases`);
  if (isPending(last)) refuse("another operation (install/upgrade/rollback) is in progress");
  const deployed = [...history].reverse().find(({ info }) => info.status === "deployed");
  const current = deployed ?? (["failed", "superseded", "uninstalled"].includes(last.info.status) ? last : undefined);
  if (!current) return refuse(`${JSON.stringify(owner.name)} has no deployed releases`);
  const config =
    args.on.has("reuse-values") || args.on.has("reset-then-reuse-values") ? overlay(current.config ?? {}, values) : values;
  const version = last.version + 1;
  const rendered = render(chart, config, {
    ...owner,
    revision: version,
    isInstall: false,
    kubeVersion,
    apiVersions: await api.apiVersions(),
  });
  const before = objectsOf(current.manifest);
  const fresh = rendered.objects.filter(
    (object) => !before.some((old) => old.kind === object.kind && old.metadata.name === object.metadata.name),
  );
  if (!args.on.has("take-ownership")) await refuseForeign(api, fresh, owner, "update");
  const release: Release = {
    name: owner.name,
    info: {
      first_deployed: current.info.first_deployed,
      last_deployed: timestampOf(run),
      deleted: "",
      description: "Preparing upgrade",
      status: "pending-upgrade",
      notes: rendered.notes,
    },
    chart,
    config,
    manifest: rendered.manifest,
    ...(rendered.hooks.length > 0 && { hooks: rendered.hooks }),
    version,
    namespace: owner.namespace,
    labels: customLabels(args.lists.labels ?? [], last.labels),
  };
  await createRecord(job, release);
  try {
    await deploy(job, release, rendered, before, "upgrade");
  } catch (error) {
    await recordFailure(job, release, error, `Upgrade ${JSON.stringify(owner.name)} failed`);
    if (!args.on.has("atomic")) throw error;
    await rollbackTo(job, current, release);
    throw new Error(
      `release ${owner.name} failed, and has been rolled back due to atomic being set: ${(error as Error).message}`,
    );
  }
  for (const old of history.filter(({ info }) => info.status === "deployed")) {
    await releases.update({ ...old, info: { ...old.info, status: "superseded" } });
  }
  release.info = { ...release.info, status: "deployed", description: args.text.description ?? "Upgrade complete" };
  await releases.update(release);
  const limit = Number(args.text["history-max"] ?? KEPT_REVISIONS);
  for (const old of limit > 0 ? history.slice(0, Math.max(0, history.length + 1 - limit)) : []) await releases.remove(old);
  run.log(`Release ${JSON.stringify(owner.name)} has been upgraded. Happy Helming!`);
  tell(run, release);
}

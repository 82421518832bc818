import type { Loose, Manifest } from "../objects.ts";
import type { Process } from "../pods/program.ts";
import { type ClusterApi, ApiRefusal } from "./api.ts";
import { duration, type HelmArguments } from "./argv.ts";
import type { Chart } from "./chart.ts";
import { runHooks } from "./hooks.ts";
import { isPending, type Release, Releases } from "./release.ts";
import { objectsOf, type Rendered, render } from "./render.ts";
import { fetchChart } from "./repository.ts";
import { applyObjects, deleteObjects, type Owner, refuseForeign } from "./resources.ts";
import { givenValues, overlay } from "./values.ts";
import { waitUntilReady } from "./wait.ts";

const TIMEOUT = "5m0s";
const KEPT_REVISIONS = 10;

interface Job {
  run: Process;
  api: ClusterApi;
  args: HelmArguments;
  releases: Releases;
  owner: Owner;
}

/** `helm install` and `helm upgrade [--install]`. */
export async function upgrade(run: Process, api: ClusterApi, args: HelmArguments): Promise<void> {
  const [name, chartName] = args.words;
  if (name === undefined || chartName === undefined) throw new Error(`"helm ${args.command}" requires 2 arguments`);
  const namespace = args.text.namespace ?? run.env.HELM_NAMESPACE ?? api.namespace;
  const kubeVersion = await api.version();
  const releases = new Releases(api, namespace, run.now);
  const job: Job = { run, api, args, releases, owner: { name, namespace } };
  const history = await releases.history(name);
  const last = history.at(-1);
  const install = args.command === "install" || (args.on.has("install") && (last === undefined || last.info.status === "uninstalled"));
  if (install && args.command === "upgrade") run.log(`Release ${JSON.stringify(name)} does not exist. Installing it now.`);
  const chart = await fetchChart(run, {
    chart: chartName,
    repository: args.text.repo ?? "",
    ...(args.text.version !== undefined && { version: args.text.version }),
  });
  const values = valuesOf(run, args);
  if (install) {
    if (args.command === "install" && last) await failing("INSTALLATION FAILED", async () => refuse("cannot reuse a name that is still in use"));
    await failing(args.command === "install" ? "INSTALLATION FAILED" : undefined, () => installRelease(job, chart, values, kubeVersion, last));
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
    const message = error instanceof Error ? error.message : String(error);
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

function timestampOf(run: Process): string {
  return new Date(run.now()).toISOString().replace("Z", "000000Z");
}

async function installRelease(job: Job, chart: Chart, values: Loose, kubeVersion: string, last: Release | undefined): Promise<void> {
  const { run, api, args, releases, owner } = job;
  const version = (last?.version ?? 0) + 1;
  const rendered = render(chart, values, { ...owner, revision: version, isInstall: true, kubeVersion, apiVersions: await api.apiVersions() });
  if (!args.on.has("skip-crds")) await installDefinitions(job, rendered.definitions);
  if (!args.on.has("take-ownership")) await refuseForeign(api, rendered.objects, owner, "install");
  if (args.on.has("create-namespace")) await ensureNamespace(api, owner.namespace);
  const now = timestampOf(run);
  const release: Release = {
    name: owner.name,
    info: { first_deployed: now, last_deployed: now, deleted: "", description: "Initial install underway", status: "pending-install", notes: rendered.notes },
    chart,
    config: values,
    manifest: rendered.manifest,
    version,
    namespace: owner.namespace,
  };
  await createRecord(job, release);
  try {
    await deploy(job, rendered, [], "install");
    release.info = { ...release.info, status: "deployed", description: args.text.description ?? "Install complete" };
  } catch (error) {
    await recordFailure(job, release, error, `Release ${JSON.stringify(owner.name)} failed`);
    if (!args.on.has("atomic")) throw error;
    await deleteObjects(api, rendered.objects, owner);
    await releases.remove(release);
    throw new Error(`release ${owner.name} failed, and has been uninstalled due to atomic being set: ${(error as Error).message}`);
  }
  await releases.update(release);
  tell(run, release);
}

/** A program that was under way when the lab was restored finds its own record. */
async function createRecord({ run, releases }: Job, release: Release): Promise<void> {
  try {
    await releases.create(release);
  } catch (error) {
    if (!(run.begunAgain && error instanceof ApiRefusal && error.status === 409)) throw error;
    await releases.update(release);
  }
}

async function upgradeRelease(job: Job, chart: Chart, values: Loose, kubeVersion: string, all: readonly Release[]): Promise<void> {
  const { run, api, args, releases, owner } = job;
  const history = run.begunAgain ? all.filter((release) => !isPending(release)) : all;
  const last = history.at(-1);
  if (!last) {
    if (run.begunAgain && args.on.has("install")) return installRelease(job, chart, values, kubeVersion, undefined);
    return refuse(`${JSON.stringify(owner.name)} has no deployed releases`);
  }
  if (isPending(last)) refuse("another operation (install/upgrade/rollback) is in progress");
  const deployed = [...history].reverse().find(({ info }) => info.status === "deployed");
  const current = deployed ?? (["failed", "superseded", "uninstalled"].includes(last.info.status) ? last : undefined);
  if (!current) return refuse(`${JSON.stringify(owner.name)} has no deployed releases`);
  const config = args.on.has("reuse-values") || args.on.has("reset-then-reuse-values") ? overlay(current.config ?? {}, values) : values;
  const version = last.version + 1;
  const rendered = render(chart, config, { ...owner, revision: version, isInstall: false, kubeVersion, apiVersions: await api.apiVersions() });
  const before = objectsOf(current.manifest);
  const fresh = rendered.objects.filter((object) => !before.some((old) => old.kind === object.kind && old.metadata.name === object.metadata.name));
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
    version,
    namespace: owner.namespace,
  };
  await createRecord(job, release);
  try {
    await deploy(job, rendered, before, "upgrade");
  } catch (error) {
    await recordFailure(job, release, error, `Upgrade ${JSON.stringify(owner.name)} failed`);
    if (!args.on.has("atomic")) throw error;
    await rollbackTo(job, current, release);
    throw new Error(`release ${owner.name} failed, and has been rolled back due to atomic being set: ${(error as Error).message}`);
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

async function deploy({ run, api, args, owner }: Job, rendered: Rendered, before: readonly Manifest[], what: string): Promise<void> {
  const timeout = duration(args.text.timeout ?? TIMEOUT);
  const hooks = args.on.has("no-hooks") ? [] : rendered.hooks;
  await runHooks(run, api, hooks, `pre-${what}`, owner.namespace, timeout);
  await applyObjects(api, before, rendered.objects, owner);
  if (args.on.has("wait") || args.on.has("atomic")) {
    await waitUntilReady(run, api, rendered.objects, owner.namespace, timeout, args.on.has("wait-for-jobs"));
  }
  await runHooks(run, api, hooks, `post-${what}`, owner.namespace, timeout);
}

async function recordFailure({ run, releases }: Job, release: Release, error: unknown, title: string): Promise<void> {
  if (run.signal.aborted) throw error;
  release.info = { ...release.info, status: "failed", description: `${title}: ${error instanceof Error ? error.message : String(error)}` };
  await releases.update(release);
}

async function rollbackTo({ run, api, releases, owner }: Job, good: Release, failed: Release): Promise<void> {
  const back: Release = {
    ...good,
    version: failed.version + 1,
    info: { ...good.info, last_deployed: timestampOf(run), status: "pending-rollback", description: `Rollback to ${good.version}` },
  };
  await releases.create(back);
  await applyObjects(api, objectsOf(failed.manifest), objectsOf(good.manifest), owner);
  await releases.update({ ...good, info: { ...good.info, status: "superseded" } });
  await releases.update({ ...back, info: { ...back.info, status: "deployed" } });
}

/** `helm rollback RELEASE [REVISION]` */
export async function rollback(run: Process, api: ClusterApi, args: HelmArguments): Promise<void> {
  const [name = "", revision] = args.words;
  const namespace = args.text.namespace ?? run.env.HELM_NAMESPACE ?? api.namespace;
  await api.version();
  const releases = new Releases(api, namespace, run.now);
  const history = await releases.history(name);
  const last = history.at(-1);
  if (!last) return refuse("release: not found");
  const wanted = revision === undefined || revision === "0" ? last.version - 1 : Number(revision);
  const good = history.find(({ version }) => version === wanted);
  if (!good) return refuse(`release has no ${wanted} version`);
  const deployed = [...history].reverse().find(({ info }) => info.status === "deployed");
  await rollbackTo({ run, api, args, releases, owner: { name, namespace } }, good, last);
  if (deployed && deployed.version !== good.version) await releases.update({ ...deployed, info: { ...deployed.info, status: "superseded" } });
  run.log("Rollback was a success! Happy Helming!");
}

async function installDefinitions({ run, api }: Job, definitions: readonly Manifest[]): Promise<void> {
  for (const definition of definitions) {
    const { list } = await api.place(definition, "");
    if (!(await api.read(definition, ""))) await api.call("POST", list, definition);
  }
  if (definitions.length === 0) return;
  await waitUntilReady(run, api, definitions, "", 60_000, false);
  api.forgetKinds();
}

async function ensureNamespace(api: ClusterApi, name: string): Promise<void> {
  if (await api.call("GET", `/api/v1/namespaces/${name}`)) return;
  await api.call("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: { name } } });
}

/** The lines the real one ends with. */
function tell(run: Process, { name, info, namespace, version }: Release): void {
  const [day, date, month, year, time] = new Date(info.last_deployed).toUTCString().replace(",", "").split(" ");
  run.log(`NAME: ${name}`);
  run.log(`LAST DEPLOYED: ${day} ${month} ${String(Number(date)).padStart(2)} ${time} ${year}`);
  run.log(`NAMESPACE: ${namespace}`);
  run.log(`STATUS: ${info.status}`);
  run.log(`REVISION: ${version}`);
  run.log("TEST SUITE: None");
  if (info.notes) run.log(`NOTES:\n${info.notes.trimEnd()}`);
}

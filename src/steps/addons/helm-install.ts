import type { Read, Write } from "../../engine/step.ts";
import type { KubernetesClient, ObjectRef } from "../../kubernetes/client/kubernetes-client.ts";
import { kubernetesCondition } from "../../kubernetes/conditions.ts";
import { delicateTexts } from "../../kubernetes/helm/delicate.ts";
import { failureHint } from "../../kubernetes/helm/failure-hint.ts";
import {
  ALL_BINDINGS,
  ALL_JOBS,
  INSTALLER_NAMESPACE,
  type Installer,
  installerFor,
  podsOf,
  uninstallerFor,
} from "../../kubernetes/helm/installer.ts";
import { belongingTo, installerState } from "../../kubernetes/helm/installer-state.ts";
import type { HelmRelease } from "../../kubernetes/helm/release.ts";
import { blockingRecords, recordsOf } from "../../kubernetes/helm/stored-release.ts";
import type { ClusterRoleBinding, Job, KubernetesObject, Pod, Secret } from "../../kubernetes/objects.ts";
import { type HelmRun, jobEnded } from "./helm-job.ts";

const MINUTE = 60_000;
/** The time limit of a Job. */
const AT_WORK_LIMIT_MS = 30 * MINUTE;

/**
 * Waits while a Job of an earlier run works on a release: until it ends, the state of the release is undefined. A Job that cannot start is not waited
 * for.
 */
export async function nobodyAtWork(kube: KubernetesClient, c: Read, release: ReleaseName): Promise<void> {
  const list = () => kube.list<Job>(ALL_JOBS, c.signal);
  let listed: Job[] | undefined = await c.shared("helm installer jobs", list);
  await c.until(
    kubernetesCondition(`no Job of an earlier run works on ${release.name}`, AT_WORK_LIMIT_MS, async () => {
      const jobs = belongingTo(release, listed ?? (await list()));
      listed = undefined;
      for (const job of jobs) {
        const state = installerState(job, await podsFor(kube, c, job));
        if (state.is === "active" && !state.stuck) return { reason: `Job ${job.metadata.name}: ${state.words}` };
      }
      return true;
    }),
  );
}

/** Installs or upgrades a release; `called`: its display name. Continues the work of an interrupted run. */
export async function install(kube: KubernetesClient, c: Write, release: HelmRelease, called = release.name): Promise<void> {
  const hidden = delicateTexts(release.values, release.secretPaths);
  await runHelm(kube, c, release, {
    installer: installerFor(release),
    what: `install ${called} ${release.version}`,
    until: `Helm has installed ${called}`,
    clean: (line) => hidden.reduce((shown, secret) => shown.replaceAll(secret, "(secret)"), line),
    hint: (log, job) => failureHint(release, job, log),
    ready: () => removeBlockingRecords(kube, c, release),
  });
}

/** Removes a release with the objects in Helm's record. */
export async function uninstall(kube: KubernetesClient, c: Write, release: ReleaseName, helmImage: string): Promise<void> {
  await runHelm(kube, c, release, {
    installer: uninstallerFor(release, helmImage),
    what: `remove ${release.name}`,
    until: `Helm has removed ${release.name}`,
    clean: (line) => line,
    hint: (_, job) => `the whole log: kubectl --namespace ${INSTALLER_NAMESPACE} logs job/${job}`,
    ready: async () => {},
  });
}

interface ReleaseName {
  name: string;
  namespace: string;
}

interface HelmWork extends Pick<HelmRun, "what" | "until" | "clean"> {
  installer: Installer;
  hint(log: string, job: string): string;
  /** Runs right before Helm starts. */
  ready(): Promise<void>;
}

async function runHelm(kube: KubernetesClient, c: Write, release: ReleaseName, work: HelmWork): Promise<void> {
  const { binding, account, values, job } = work.installer;
  const { name } = job.metadata;
  for (const object of [binding, account, values]) {
    await c.mutate({ key: keyOf(object), what: `apply ${nameOf(object)}` }, async () => {
      await kube.apply<KubernetesObject>(object, c.signal);
      return undefined;
    });
  }
  if (!(await isAtIt(kube, c, release, name))) {
    await work.ready();
    c.say(`starting Helm in the cluster: ${work.what}`);
    await c.mutate({ key: keyOf(job), what: `create ${nameOf(job)}` }, async () => {
      // An existing Job with its name is a conflict, and the next look adopts it: its name identifies its work.
      await kube.create(job, c.signal);
      return undefined;
    });
  }
  const { what, until, clean, hint } = work;
  const ended = await jobEnded(kube, c, { job: name, what, until, clean, hint: (log) => hint(log, name) });
  if (ended.is === "done") return;
  // The permissions must not outlive the Job; if their removal fails too, the next run repeats it.
  const tidy = async () => {
    if (ended.imageless) await removeJob(kube, c, job);
    await removeInstallers(kube, c, release);
  };
  await tidy().catch(() => c.signal.throwIfAborted());
  throw ended.error;
}

/** Removes finished Jobs and those for other work. True when the Job for this work exists and still runs. */
async function isAtIt(kube: KubernetesClient, c: Write, release: ReleaseName, wanted: string): Promise<boolean> {
  let adopted = false;
  for (const job of belongingTo(release, await kube.list<Job>(ALL_JOBS, c.signal))) {
    const active = installerState(job, await podsFor(kube, c, job)).is === "active";
    if (active && job.metadata.name === wanted && job.metadata.deletionTimestamp === undefined) adopted = true;
    else await removeJob(kube, c, job);
  }
  return adopted;
}

/** Removes unfinished records, which would block Helm. */
async function removeBlockingRecords(kube: KubernetesClient, c: Write, release: ReleaseName): Promise<void> {
  for (const name of blockingRecords(await kube.list<Secret>(recordsOf(release, "current"), c.signal))) {
    const record: ObjectRef = { apiVersion: "v1", kind: "Secret", namespace: release.namespace, name };
    await c.mutate({ key: `secret ${release.namespace}/${name}`, what: `remove the unfinished record ${name}` }, () =>
      kube.delete(record, {}, c.signal),
    );
  }
}

async function removeJob(kube: KubernetesClient, c: Write, job: Job): Promise<void> {
  const { name } = job.metadata;
  const of: ObjectRef = { apiVersion: "batch/v1", kind: "Job", namespace: INSTALLER_NAMESPACE, name };
  const uid = job.metadata.uid ?? (await kube.get<Job>(of, c.signal))?.metadata.uid;
  await c.mutate({ key: keyOf(job), what: `remove ${nameOf(job)}` }, () =>
    kube.delete(of, { propagation: "Foreground", ...(uid !== undefined && { uid }) }, c.signal),
  );
  await c.until(
    kubernetesCondition(`Job ${name} is gone`, 5 * MINUTE, async () => {
      const now = await kube.get<Job>(of, c.signal);
      return now && now.metadata.uid === uid ? { reason: "its pods are being removed" } : true;
    }),
  );
}

/** Removes the values and permissions of Jobs, also of earlier runs. The Job stays for its log. */
export async function removeInstallers(kube: KubernetesClient, c: Write, release: ReleaseName): Promise<void> {
  const bindings = belongingTo(release, await kube.list<ClusterRoleBinding>(ALL_BINDINGS, c.signal));
  for (const binding of bindings) {
    const { name } = binding.metadata;
    const inside = { namespace: INSTALLER_NAMESPACE, name };
    const doomed: ObjectRef[] = [
      { apiVersion: "v1", kind: "Secret", ...inside },
      { apiVersion: "v1", kind: "ServiceAccount", ...inside },
      { apiVersion: binding.apiVersion, kind: binding.kind, name },
    ];
    for (const of of doomed) {
      await c.mutate({ key: `${of.kind.toLowerCase()} ${name}`, what: `remove ${of.kind} ${name}` }, () =>
        kube.delete(of, {}, c.signal),
      );
    }
  }
}

function podsFor(kube: KubernetesClient, c: Read, job: Job): Promise<Pod[]> {
  return kube.list<Pod>(podsOf(job.metadata.name), c.signal);
}

const keyOf = (object: KubernetesObject) => `${object.kind.toLowerCase()} ${object.metadata.name}`;
const nameOf = (object: KubernetesObject) => `${object.kind} ${object.metadata.name}`;

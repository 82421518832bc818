import type { Write } from "../../engine/step.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import { kubernetesCondition } from "../../kubernetes/conditions.ts";
import { delicateTexts } from "../../kubernetes/helm/delicate.ts";
import { CONTAINER, INSTALLER_NAMESPACE, podsOf } from "../../kubernetes/helm/installer.ts";
import { type InstallerState, installerState, newestOf } from "../../kubernetes/helm/installer-state.ts";
import type { HelmRelease } from "../../kubernetes/helm/release.ts";
import type { Job, Pod } from "../../kubernetes/objects.ts";
import { remoteError, type TalosmithError } from "../../lib/errors.ts";

const LIMIT_MS = 15 * 60_000;
const LOG_LINES = 20;

/** Waits for Helm to end well, telling what it says meanwhile. `tidy` is called when it does not. */
export async function jobEnded(
  kube: KubernetesClient,
  c: Write,
  release: HelmRelease,
  job: string,
  tidy: () => Promise<void>,
): Promise<void> {
  let state: InstallerState | undefined;
  let told = "";
  const pods = () => kube.list<Pod>(podsOf(job), c.signal);
  await c.until(
    kubernetesCondition(`Helm has installed ${release.name}`, LIMIT_MS, async () => {
      const now = await kube.get<Job>(
        { apiVersion: "batch/v1", kind: "Job", namespace: INSTALLER_NAMESPACE, name: job },
        c.signal,
      );
      const its = now ? await pods() : [];
      state = now && installerState(now, its);
      if (state?.is !== "active") return true;
      const last = newestOf(its)?.status?.phase === "Running" ? (await logLines(kube, c, release, its, 1)).at(-1) : undefined;
      if (last && last !== told) c.say(last);
      told = last ?? told;
      return { reason: `Job ${job}: ${state.words}` };
    }),
  );
  if (state === undefined) throw gone(release, job);
  if (state.is !== "failed") return;
  const log = await logLines(kube, c, release, await pods().catch(() => []), LOG_LINES);
  // Rights must not outlive the Job; if taking them away fails too, the next run sees and does it.
  await tidy().catch(() => c.signal.throwIfAborted());
  throw failed(release, job, state.why, log);
}

/** A log is told when there is one: a pod may have gone, or its node be out of reach. */
async function logLines(
  kube: KubernetesClient,
  c: Write,
  release: HelmRelease,
  pods: readonly Pod[],
  tailLines: number,
): Promise<string[]> {
  const pod = newestOf(pods);
  if (!pod) return [];
  const of = { namespace: INSTALLER_NAMESPACE, name: pod.metadata.name, container: CONTAINER };
  const text = await kube.logs(of, { tailLines }, c.signal).catch(() => {
    c.signal.throwIfAborted();
    const ended = pod.status?.containerStatuses?.find(({ name }) => name === CONTAINER)?.state?.terminated;
    return ended?.message ?? "";
  });
  const hidden = delicateTexts(release.values);
  return text
    .split("\n")
    .map((line) => hidden.reduce((shown, secret) => shown.replaceAll(secret, "(secret)"), line.trimEnd()))
    .filter((line) => line !== "")
    .slice(-tailLines);
}

function gone(release: HelmRelease, job: string): TalosmithError {
  return remoteError("HELM_JOB_GONE", {
    message: `Unable to see how ${release.name} was installed: Job ${job} is gone`,
    hint: "somebody removed it while it ran; run the same command again",
    transient: true,
  });
}

function failed(release: HelmRelease, job: string, why: string, log: readonly string[]): TalosmithError {
  const text = log.join("\n");
  return remoteError("HELM_FAILED", {
    message: `Unable to install ${release.name} ${release.version}: Helm failed`,
    detail: [`Job ${INSTALLER_NAMESPACE}/${job}: ${why}`, ...log.map((line) => `  ${line}`)].join("\n"),
    hint: hintFor(release, job, text),
    // Helm was killed half-way and stands in its own way since: looking again finds that, and mends it.
    transient: text.includes("another operation (install/upgrade/rollback) is in progress"),
  });
}

const NO_CHART =
  /no such host|dial tcp|i\/o timeout|not a valid chart repository|failed to fetch|failed to download|chart .* not found|manifest unknown|no chart version found|improper constraint/i;

function hintFor({ chart, version, repository }: HelmRelease, job: string, log: string): string {
  if (NO_CHART.test(log)) return `can the control planes reach ${repository}, and is there a chart ${chart} ${version}?`;
  if (/invalid ownership metadata|cannot be imported into the current release/.test(log))
    return "objects of these names are there already and Helm did not make them: remove them, and run the same command again";
  return `the whole log: kubectl --namespace ${INSTALLER_NAMESPACE} logs job/${job}`;
}

import { remoteError, type TalosmithError } from "@talosmith/lib/errors.ts";
import type { Write } from "../../engine/step.ts";
import type { KubernetesClient } from "../../kubernetes/client/kubernetes-client.ts";
import { kubernetesCondition } from "../../kubernetes/conditions.ts";
import { CONTAINER, INSTALLER_NAMESPACE, podsOf } from "../../kubernetes/helm/installer.ts";
import { type InstallerState, installerState, newestOf } from "../../kubernetes/helm/installer-state.ts";
import type { Job, Pod } from "../../kubernetes/objects.ts";
import { imageTrouble, lacksImage } from "../../kubernetes/pod-state.ts";
import { tellLog } from "./helm-log.ts";

const LIMIT_MS = 15 * 60_000;
/** A registry may have been asked at a bad moment; kubelet asks it again within this. */
export const IMAGE_GRACE_MS = 30_000;
const LOG_LINES = 20;

/** A Helm that runs in the cluster, and how to speak about it. */
export interface HelmRun {
  job: string;
  /** "install cilium 1.20.1": goes after "Unable to". */
  what: string;
  /** "Helm has installed cilium": what is waited for. */
  until: string;
  /** Takes out of a line what nobody may see. */
  clean(line: string): string;
  hint(log: string): string;
}

/** How a Helm that failed comes to be told. */
export type HelmEnd = { is: "done" } | { is: "failed"; error: TalosmithError; imageless: boolean };

/** Waits for Helm to end, telling what it says meanwhile. */
export async function jobEnded(kube: KubernetesClient, c: Write, run: HelmRun): Promise<HelmEnd> {
  const { job } = run;
  let state: InstallerState | undefined;
  let imageless: { since: number; hint: string } | undefined;
  const pods = () => kube.list<Pod>(podsOf(job), c.signal);
  const log = tellLog(kube, c, run.clean);
  try {
    await c.until(
      kubernetesCondition(run.until, LIMIT_MS, async () => {
        const now = await kube.get<Job>(
          { apiVersion: "batch/v1", kind: "Job", namespace: INSTALLER_NAMESPACE, name: job },
          c.signal,
        );
        const its = now ? await pods() : [];
        state = now && installerState(now, its);
        const newest = newestOf(its);
        log.follow(newest);
        if (state?.is !== "active") return true;
        const hint = imageTrouble(newest);
        const since = c.world.clock.monotonic();
        if (hint !== undefined) imageless = { hint, since: imageless?.since ?? since };
        // Kubelets before 1.32 say why once, and then only that they wait.
        else if (!lacksImage(newest)) imageless = undefined;
        if (imageless && since - imageless.since >= IMAGE_GRACE_MS) return true;
        return { reason: `Job ${job}: ${state.words}` };
      }),
    );
  } finally {
    await log.end(state?.is === "done" || state?.is === "failed");
  }
  if (state === undefined) throw gone(run);
  if (state.is === "done") return { is: "done" };
  if (state.is === "active") return { is: "failed", imageless: true, error: noImage(run, state.words, imageless?.hint ?? "") };
  const lines = await lastLines(kube, c, run, await pods().catch(() => []));
  return { is: "failed", imageless: false, error: failed(run, state.why, lines) };
}

/** A log is told when there is one: a pod may have gone, or its node be out of reach. */
async function lastLines(kube: KubernetesClient, c: Write, run: HelmRun, pods: readonly Pod[]): Promise<string[]> {
  const pod = newestOf(pods);
  if (!pod) return [];
  const of = { namespace: INSTALLER_NAMESPACE, name: pod.metadata.name, container: CONTAINER };
  const text = await kube.logs(of, { tailLines: LOG_LINES }, c.signal).catch(() => {
    c.signal.throwIfAborted();
    const ended = pod.status?.containerStatuses?.find(({ name }) => name === CONTAINER)?.state?.terminated;
    return ended?.message ?? "";
  });
  return text
    .split("\n")
    .map((line) => run.clean(line.trimEnd()))
    .filter((line) => line !== "")
    .slice(-LOG_LINES);
}

function gone({ job, what }: HelmRun): TalosmithError {
  return remoteError("HELM_JOB_GONE", {
    message: `Unable to ${what}: Job ${job} no longer exists`,
    hint: "it was deleted while it ran; run the same command again",
    transient: true,
  });
}

function noImage({ job, what }: HelmRun, words: string, hint: string): TalosmithError {
  return remoteError("HELM_IMAGE", {
    message: `Unable to ${what}: the Helm image cannot be pulled`,
    detail: `Job ${INSTALLER_NAMESPACE}/${job}: ${words}`,
    hint: `addons.helmImage: ${hint}`,
  });
}

function failed({ job, what, hint }: HelmRun, why: string, log: readonly string[]): TalosmithError {
  const text = log.join("\n");
  return remoteError("HELM_FAILED", {
    message: `Unable to ${what}: ${causeIn(log) ?? "Helm failed"}`,
    detail: [`Job ${INSTALLER_NAMESPACE}/${job}: ${why}`, ...log.map((line) => `  ${line}`)].join("\n"),
    hint: hint(text),
    // Helm was killed half-way and stands in its own way since: looking again finds that, and mends it.
    transient: text.includes("another operation (install/upgrade/rollback) is in progress"),
  });
}

const LONGEST_CAUSE = 160;

/** Helm's own last word: "Error: …". */
function causeIn(log: readonly string[]): string | undefined {
  const line = log.findLast((one) => /^Error: /i.test(one))?.replace(/^Error: (INSTALLATION FAILED: |UPGRADE FAILED: )?/i, "");
  return line === undefined || line.length <= LONGEST_CAUSE ? line : `${line.slice(0, LONGEST_CAUSE)}…`;
}

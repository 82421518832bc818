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
/** Kubelet retries a failed pull within this time. */
export const IMAGE_GRACE_MS = 30_000;
const LOG_LINES = 20;

/** A Helm run in the cluster, with its texts. */
export interface HelmRun {
  job: string;
  /** The text after "Unable to": "install cilium 1.20.1". */
  what: string;
  /** The name of the condition: "Helm has installed cilium". */
  until: string;
  /** Removes secrets from a line. */
  clean(line: string): string;
  hint(log: string): string;
}

/** Builds the error of a failed Helm. */
export type HelmEnd = { is: "done" } | { is: "failed"; error: TalosmithError; imageless: boolean };

/** Waits for Helm to end, and shows its log meanwhile. */
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
        // Kubelets before 1.32 report the reason once, and then only that they wait.
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

/** The log, if there is one: the pod may be deleted, or its node unreachable. */
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
    // Helm was killed and its unfinished record blocks it: the next attempt removes the record.
    transient: text.includes("another operation (install/upgrade/rollback) is in progress"),
  });
}

const LONGEST_CAUSE = 160;

/** Helm's own error line: "Error: …". */
function causeIn(log: readonly string[]): string | undefined {
  const line = log.findLast((one) => /^Error: /i.test(one))?.replace(/^Error: (INSTALLATION FAILED: |UPGRADE FAILED: )?/i, "");
  return line === undefined || line.length <= LONGEST_CAUSE ? line : `${line.slice(0, LONGEST_CAUSE)}…`;
}

import type { Job, KubernetesObject, Pod } from "../objects.ts";
import { podTrouble, podWords } from "../pod-state.ts";
import { OF_NAMESPACE, OF_RELEASE } from "./installer.ts";

export type InstallerState =
  | { is: "done" }
  | { is: "failed"; why: string }
  /** Helm runs, or is about to. `stuck`: it cannot begin, and waiting alone will not help. */
  | { is: "active"; words: string; stuck: boolean };

export function installerState(job: Job, pods: readonly Pod[]): InstallerState {
  const met = (type: string) => job.status?.conditions?.find((one) => one.type === type && one.status === "True");
  if (met("Complete")) return { is: "done" };
  const failed = met("Failed");
  if (failed) return { is: "failed", why: [failed.reason, failed.message].filter(Boolean).join(": ") || "no reason given" };
  const newest = newestOf(pods);
  if (!newest) return { is: "active", words: "waiting for its pod to be created", stuck: false };
  return { is: "active", words: podWords(newest), stuck: podTrouble(newest) !== undefined };
}

export function newestOf<T extends KubernetesObject>(objects: readonly T[]): T | undefined {
  const made = ({ metadata }: T) => metadata.creationTimestamp ?? "";
  return objects.reduce<T | undefined>((a, b) => (a && made(a) > made(b) ? a : b), undefined);
}

/** The listed objects of a release; releases in different namespaces may have the same name. */
export function belongingTo<T extends KubernetesObject>(
  release: { name: string; namespace: string },
  objects: readonly T[],
): T[] {
  return objects.filter(
    ({ metadata: { labels } }) => labels?.[OF_RELEASE] === release.name && labels[OF_NAMESPACE] === release.namespace,
  );
}

import type { SimulatedCluster } from "../cluster.ts";
import { contentHash } from "../identity.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { all, put, read } from "../store/store.ts";
import { isFinished, isReady } from "./conditions.ts";
import { createPod, deletePod, podsOf, portion } from "./pods-of.ts";
import { reasonAgainst } from "./scheduler.ts";

const DAEMON_SETS = builtin("daemonsets.apps");
const HASH = "controller-revision-hash";

/** Taints that the pods of a DaemonSet tolerate. */
const BORNE = [
  "not-ready:NoExecute",
  "unreachable:NoExecute",
  "disk-pressure:NoSchedule",
  "memory-pressure:NoSchedule",
  "pid-pressure:NoSchedule",
  "unschedulable:NoSchedule",
];

export function runDaemonSets(cluster: SimulatedCluster): void {
  for (const set of all(cluster, DAEMON_SETS)) if (set.metadata.deletionTimestamp === undefined) runDaemonSet(cluster, set);
}

function runDaemonSet(cluster: SimulatedCluster, set: KubeObject): void {
  const hash = contentHash([set.spec.template.metadata?.labels, set.spec.template.metadata?.annotations, set.spec.template.spec]);
  const pods = podsOf(cluster, set);
  const tolerations = tolerationsOf(set.spec.template.spec);
  const spec = { ...set.spec.template.spec, tolerations };
  const wanted = all(cluster, builtin("nodes")).filter((node) => shouldRun(spec, node));
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  for (const pod of pods) if (!names.has(nodeOf(pod)) || isFinished(pod)) deletePod(cluster, pod);
  for (const name of names) {
    if (pods.some((pod) => nodeOf(pod) === name)) continue;
    const labels = { [HASH]: hash, "pod-template-generation": String(set.metadata.generation ?? 1) };
    createPod(cluster, set, { labels, spec: { tolerations, affinity: onlyOn(set, name) } }, "daemonset-controller");
  }
  renew(
    cluster,
    set,
    pods.filter((pod) => names.has(nodeOf(pod))),
    hash,
    names.size,
  );
  writeStatus(cluster, set, names, hash);
}

/** Also for nodes that are not ready: often these pods make a node ready. */
function shouldRun(spec: Loose, node: KubeObject): boolean {
  const marks = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
  const taints = (node.spec?.taints ?? []).filter(({ key }: Loose) => !marks.includes(key));
  return reasonAgainst({ spec } as KubeObject, { ...node, spec: { ...node.spec, taints } }) === undefined;
}

function tolerationsOf({ tolerations = [], hostNetwork }: Loose): Loose[] {
  const marks = [...BORNE, "not-ready:NoSchedule", ...(hostNetwork ? ["network-unavailable:NoSchedule"] : [])];
  const borne = marks.map((mark) => {
    const [key, effect] = mark.split(":");
    return { key: `node.kubernetes.io/${key}`, operator: "Exists", effect };
  });
  return [...tolerations, ...borne];
}

function onlyOn({ spec }: KubeObject, node: string): Loose {
  const affinity = structuredClone(spec.template.spec.affinity ?? {});
  const fields = { matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] };
  return { ...affinity, nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [fields] } } };
}

function nodeOf({ spec }: KubeObject): string {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return spec.nodeName ?? terms[0]?.matchFields?.[0]?.values?.[0] ?? "";
}

/** Replaces old pods, a few at a time. */
function renew(cluster: SimulatedCluster, set: KubeObject, pods: readonly KubeObject[], hash: string, count: number): void {
  if (set.spec.updateStrategy?.type !== "RollingUpdate") return;
  const limit = Math.max(1, portion(set.spec.updateStrategy.rollingUpdate?.maxUnavailable, count, true));
  const old = pods.filter((pod) => pod.metadata.labels?.[HASH] !== hash && pod.metadata.deletionTimestamp === undefined);
  const away = count - pods.filter(isReady).length;
  const useless = old.filter((pod) => !isReady(pod));
  const useful = old.filter(isReady).slice(0, Math.max(0, limit - away));
  for (const pod of [...useless, ...useful]) deletePod(cluster, pod);
}

function writeStatus(cluster: SimulatedCluster, { metadata }: KubeObject, names: ReadonlySet<string>, hash: string): void {
  const set = read(cluster, DAEMON_SETS, metadata.namespace, metadata.name);
  if (!set) return;
  const pods = podsOf(cluster, set).filter((pod) => names.has(nodeOf(pod)) && pod.metadata.deletionTimestamp === undefined);
  const ready = pods.filter(isReady).length;
  put(cluster, DAEMON_SETS, {
    ...set,
    status: {
      currentNumberScheduled: pods.length,
      numberMisscheduled: 0,
      desiredNumberScheduled: names.size,
      numberReady: ready,
      observedGeneration: set.metadata.generation,
      updatedNumberScheduled: pods.filter((pod) => pod.metadata.labels?.[HASH] === hash).length,
      ...(ready > 0 && { numberAvailable: ready }),
      ...(names.size > ready && { numberUnavailable: names.size - ready }),
    },
  });
}

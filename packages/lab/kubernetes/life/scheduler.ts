import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { matchesExpression, matchesSelector } from "../store/selectors.ts";
import { all, put, read } from "../store/store.ts";
import { claimsOf } from "./claims.ts";
import { isFinished, withConditions } from "./conditions.ts";
import { say } from "./events.ts";

const PODS = builtin("pods");

/** Assigns each pod without a node to the least busy node that fits. */
export function schedule(cluster: SimulatedCluster): void {
  const nodes = all(cluster, builtin("nodes"));
  const pods = all(cluster, PODS);
  const waiting = pods.filter(({ spec, metadata }) => !spec.nodeName && metadata.deletionTimestamp === undefined);
  if (waiting.length === 0) return;
  const load = new Map<string, number>();
  for (const { spec } of pods) if (spec.nodeName) load.set(spec.nodeName, (load.get(spec.nodeName) ?? 0) + 1);
  for (const pod of waiting) {
    const unbound = unboundClaims(cluster, pod);
    if (unbound !== undefined) {
      refuse(cluster, pod, `0/${nodes.length} nodes are available: ${unbound}.`);
      continue;
    }
    const fits = nodes.filter((node) => against(pod, node, pods, nodes) === undefined);
    const spread = fits.map((node) => ({
      node,
      same: siblings(pods, pod, node.metadata.name),
      load: load.get(node.metadata.name) ?? 0,
    }));
    const [best] = spread.sort(
      (a, b) => a.same - b.same || a.load - b.load || (a.node.metadata.name < b.node.metadata.name ? -1 : 1),
    );
    if (best) {
      const name = best.node.metadata.name;
      load.set(name, best.load + 1);
      pods.push(bind(cluster, pod, name));
    } else {
      refuse(cluster, pod, reasonsAgainst(pod, nodes, pods));
    }
  }
}

/** Number of pods of the same owner on a node: pods are spread first. */
function siblings(pods: readonly KubeObject[], pod: KubeObject, node: string): number {
  const [owner] = pod.metadata.ownerReferences ?? [];
  if (!owner) return 0;
  return pods.filter((other) => other.spec.nodeName === node && other.metadata.ownerReferences?.[0]?.uid === owner.uid).length;
}

function bind(cluster: SimulatedCluster, pod: KubeObject, node: string): KubeObject {
  const status = {
    ...pod.status,
    conditions: withConditions(cluster, pod.status?.conditions, [
      { type: "PodScheduled", status: "True", reason: "", message: "" },
    ]),
  };
  const bound = put(cluster, PODS, { ...pod, spec: { ...pod.spec, nodeName: node }, status });
  const { namespace, name } = pod.metadata;
  const message = `Successfully assigned ${namespace}/${name} to ${node}`;
  say(cluster, bound, { type: "Normal", reason: "Scheduled", message, component: "default-scheduler" });
  return bound;
}

function against(
  pod: KubeObject,
  node: KubeObject,
  pods: readonly KubeObject[],
  nodes: readonly KubeObject[],
): string | undefined {
  return reasonAgainst(pod, node) ?? shortage(pods, pod, node) ?? crowding(pods, pod, node, nodes);
}

function reasonsAgainst(pod: KubeObject, nodes: readonly KubeObject[], pods: readonly KubeObject[]): string {
  const counts = new Map<string, number>();
  for (const node of nodes) {
    const reason = against(pod, node, pods, nodes) ?? "";
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const reasons = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${nodes.length} nodes are available: ${reasons.join(", ") || "no nodes available to schedule pods"}.`;
}

/** The problem of unbound volumes, with the scheduler's message. */
function unboundClaims(cluster: SimulatedCluster, pod: KubeObject): string | undefined {
  for (const name of claimsOf(pod)) {
    const claim = read(cluster, builtin("persistentvolumeclaims"), pod.metadata.namespace, name);
    if (!claim) return `persistentvolumeclaim ${JSON.stringify(name)} not found`;
    if (claim.status?.phase !== "Bound") return "pod has unbound immediate PersistentVolumeClaims";
  }
  return undefined;
}

/** The missing devices, which are allocated one by one. */
function shortage(pods: readonly KubeObject[], pod: KubeObject, node: KubeObject): string | undefined {
  const wanted = devicesOf(pod);
  const here = pods.filter((other) => other.spec.nodeName === node.metadata.name && !isFinished(other));
  for (const [name, count] of wanted) {
    const taken = here.reduce((sum, other) => sum + (devicesOf(other).get(name) ?? 0), 0);
    if (count > Number(node.status?.allocatable?.[name] ?? 0) - taken) return `Insufficient ${name}`;
  }
  return undefined;
}

function devicesOf({ spec }: KubeObject): Map<string, number> {
  const result = new Map<string, number>();
  for (const { resources = {} } of spec.containers ?? []) {
    for (const [name, count] of Object.entries({ ...resources.requests, ...resources.limits })) {
      if (name.includes("/")) result.set(name, (result.get(name) ?? 0) + Number(count));
    }
  }
  return result;
}

function refuse(cluster: SimulatedCluster, pod: KubeObject, message: string): void {
  const condition = { type: "PodScheduled", status: "False" as const, reason: "Unschedulable", message };
  const old = (pod.status?.conditions ?? []).find(({ type }: Loose) => type === "PodScheduled");
  if (old?.message === message) return;
  const stored = put(cluster, PODS, {
    ...pod,
    status: { ...pod.status, conditions: withConditions(cluster, pod.status?.conditions, [condition]) },
  });
  say(cluster, stored, { type: "Warning", reason: "FailedScheduling", message, component: "default-scheduler" });
}

/** Why a pod cannot run on a node, with the scheduler's message; undefined when it can. */
export function reasonAgainst({ spec }: KubeObject, node: KubeObject): string | undefined {
  if (
    node.spec?.unschedulable &&
    !tolerates(spec.tolerations, { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" })
  ) {
    return "node(s) were unschedulable";
  }
  if (!selects(spec, node)) return "node(s) didn't match Pod's node affinity/selector";
  const hard: Loose[] = (node.spec?.taints ?? []).filter(({ effect }: Loose) => effect !== "PreferNoSchedule");
  const bad = hard.find((taint) => !tolerates(spec.tolerations, taint));
  return bad && `node(s) had untolerated taint {${bad.key}: ${bad.value ?? ""}}`;
}

/** Conflicts with other pods: the same host port, or an anti-affinity. */
function crowding(
  pods: readonly KubeObject[],
  pod: KubeObject,
  node: KubeObject,
  nodes: readonly KubeObject[],
): string | undefined {
  const others = pods.filter((other) => other.spec.nodeName && other.metadata.uid !== pod.metadata.uid && !isFinished(other));
  const used = new Set(others.filter((other) => other.spec.nodeName === node.metadata.name).flatMap(hostPorts));
  if (hostPorts(pod).some((port) => used.has(port))) return "node(s) didn't have free ports for the requested pod ports";
  const terms: Loose[] = pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const apart = terms.some(({ labelSelector, topologyKey }) => {
    const place = node.metadata.labels?.[topologyKey];
    const near = new Set(nodes.filter((it) => it.metadata.labels?.[topologyKey] === place).map((it) => it.metadata.name));
    const inTheWay = (other: KubeObject) =>
      other.metadata.namespace === pod.metadata.namespace &&
      near.has(other.spec.nodeName) &&
      matchesSelector(labelSelector, other.metadata.labels);
    return others.some(inTheWay);
  });
  return apart ? "node(s) didn't satisfy existing pods anti-affinity rules" : undefined;
}

function hostPorts({ spec }: KubeObject): string[] {
  const ports: Loose[] = (spec.containers ?? []).flatMap((it: Loose) => it.ports ?? []);
  return ports.filter(({ hostPort }) => hostPort).map(({ hostPort, protocol }) => `${hostPort}/${protocol}`);
}

/** Whether a node matches nodeSelector and the required part of the node affinity. */
export function selects(spec: Loose, node: KubeObject): boolean {
  const labels = node.metadata.labels ?? {};
  const wanted = Object.entries((spec.nodeSelector ?? {}) as Record<string, string>);
  if (!wanted.every(([key, value]) => labels[key] === value)) return false;
  const terms: Loose[] | undefined =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (!terms) return true;
  return terms.some(
    ({ matchExpressions = [], matchFields = [] }) =>
      matchExpressions.every((it: Loose) => matchesExpression(it, labels)) &&
      matchFields.every((it: Loose) => matchesExpression(it, { "metadata.name": node.metadata.name })),
  );
}

export function tolerates(tolerations: Loose[] | undefined, taint: Loose): boolean {
  return (tolerations ?? []).some((it) => toleratesTaint(it, taint));
}

export function toleratesTaint(it: Loose, taint: Loose): boolean {
  if (it.effect && it.effect !== taint.effect) return false;
  if (it.key && it.key !== taint.key) return false;
  if (!it.key && it.operator !== "Exists") return false;
  return it.operator === "Exists" || (it.value ?? "") === (taint.value ?? "");
}

import type { NodeView } from "../../talos/view.ts";
import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { filesOf, Missing } from "../pods/environment.ts";
import { podsOn } from "../pods/node-network.ts";
import { stopProcess } from "../pods/processes.ts";
import { builtin } from "../resources/catalogue.ts";
import type { PodRecord } from "../state.ts";
import { lookIn } from "../store/look.ts";
import { put, remove } from "../store/store.ts";
import { isFinished } from "./conditions.ts";
import { advanceContainer, lifeOf, REBOOTED } from "./containers.ts";
import { say } from "./events.ts";
import { NETWORK_NOT_READY } from "./nodes.ts";
import { podStatus } from "./pod-status.ts";

const PODS = builtin("pods");
/** Time that the lab's programs need to end after a stop request. */
const STOP_MS = 1500;

/** Runs one step of every running kubelet for its pods. */
export function runKubelets(cluster: SimulatedCluster): void {
  for (const view of cluster.nodes) {
    if (view.kubelet.running && cluster.state.machines[view.name]?.bootId === view.bootId) runKubelet(cluster, view);
  }
  forgetLostPods(cluster);
}

function runKubelet(cluster: SimulatedCluster, view: NodeView): void {
  for (const pod of podsOn(cluster, view.name)) advancePod(cluster, view, pod);
}

function advancePod(cluster: SimulatedCluster, view: NodeView, pod: KubeObject) {
  const { kubelet } = cluster.state;
  const record = kubelet[pod.metadata.uid] ?? { bootId: view.bootId, containers: {} };
  kubelet[pod.metadata.uid] = record;
  if (record.bootId !== view.bootId) endAll(cluster, pod, record, view.bootId);
  if (pod.metadata.deletionTimestamp !== undefined) return terminate(cluster, pod, record);
  if (isFinished(pod)) return;
  const addressed = withAddress(cluster, view, pod);
  const blocked = reasonToWait(cluster, view, addressed, record);
  if (blocked === undefined) advanceContainers(cluster, view, addressed, record);
  put(cluster, PODS, { ...addressed, status: podStatus(cluster, addressed, record, blocked) });
}

function advanceContainers(cluster: SimulatedCluster, view: NodeView, pod: KubeObject, record: PodRecord): void {
  for (const container of pod.spec.initContainers ?? []) {
    advanceContainer(cluster, view, pod, record, container, true);
    const its = record.containers[container.name];
    const sidecar = container.restartPolicy === "Always";
    if (sidecar ? its?.is !== "running" : !(its?.is === "ended" && its.exitCode === 0)) return;
  }
  for (const container of [...(pod.spec.containers ?? []), ...(pod.spec.ephemeralContainers ?? [])])
    advanceContainer(cluster, view, pod, record, container, false);
}

/** The reason why a pod cannot be started. */
function reasonToWait(cluster: SimulatedCluster, view: NodeView, pod: KubeObject, { containers }: PodRecord): string | undefined {
  const event = { type: "Warning" as const, component: "kubelet", host: view.name };
  if (!pod.spec.hostNetwork && cluster.state.machines[view.name]?.networkOf !== view.bootId) {
    const message = `network is not ready: container runtime network not ready: ${NETWORK_NOT_READY}`;
    sayOnce(cluster, pod, { ...event, reason: "NetworkNotReady", message });
    return "ContainerCreating";
  }
  // Mounted files stay, even when their secret is deleted.
  if (Object.values(containers).some(({ is }) => is === "running")) return undefined;
  try {
    for (const container of [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])])
      filesOf(cluster, pod, container);
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    sayOnce(cluster, pod, { ...event, reason: "FailedMount", message: `MountVolume.SetUp failed for volume: ${error.message}` });
    return "ContainerCreating";
  }
  return undefined;
}

/** Reports an event once, at its start: a report in every step would be a change each time. */
function sayOnce(cluster: SimulatedCluster, pod: KubeObject, event: Parameters<typeof say>[2]): void {
  const waits = (pod.status?.containerStatuses ?? []).some((it: Loose) => it.state?.waiting);
  if (!waits) say(cluster, pod, event);
}

function withAddress(cluster: SimulatedCluster, view: NodeView, pod: KubeObject): KubeObject {
  if (pod.status?.podIP) return pod;
  const host = { hostIP: view.nodeIp, hostIPs: [{ ip: view.nodeIp }] };
  const ip = pod.spec.hostNetwork ? view.nodeIp : freeAddress(cluster, view);
  if (!pod.spec.hostNetwork && cluster.state.machines[view.name]?.networkOf !== view.bootId) {
    return { ...pod, status: { ...pod.status, ...host } };
  }
  return { ...pod, status: { ...pod.status, ...host, ...(ip !== undefined && { podIP: ip, podIPs: [{ ip }] }) } };
}

function freeAddress(cluster: SimulatedCluster, view: NodeView): string | undefined {
  const range: string | undefined = cluster.state.objects.nodes?.[`/${view.name}`]?.spec?.podCIDR;
  const prefix = range?.replace(/\.\d+\/\d+$/, "");
  const used = new Set(podsOn(cluster, view.name).map(({ status }) => status?.podIP));
  for (let last = 2; prefix !== undefined && last < 255; last++) if (!used.has(`${prefix}.${last}`)) return `${prefix}.${last}`;
  return undefined;
}

/** Ends all containers of a machine that was off. */
function endAll(cluster: SimulatedCluster, pod: KubeObject, record: PodRecord, bootId: string): void {
  record.bootId = bootId;
  for (const [name, it] of Object.entries(record.containers)) {
    if (it.is === "pulling" || it.is === "unpullable") delete record.containers[name];
    // The back-off delay is lost with the kubelet.
    if (it.is === "backing-off") record.containers[name] = { ...it, until: cluster.lab.now() };
    if (it.is !== "running") continue;
    stopProcess(cluster.lab, lifeOf(pod, name, it.restarts));
    const ended = { startedAt: it.since, finishedAt: cluster.lab.now(), exitCode: 255, reason: REBOOTED };
    record.containers[name] = { is: "ended", restarts: it.restarts, ...(it.last && { last: it.last }), ...ended };
  }
}

function terminate(cluster: SimulatedCluster, pod: KubeObject, record: PodRecord) {
  const { lab } = cluster;
  if (record.goneAt === undefined) {
    const grace = (pod.metadata.deletionGracePeriodSeconds ?? 30) * 1000;
    record.goneAt = lab.now() + Math.min(grace, STOP_MS);
    for (const [name, { restarts }] of Object.entries(record.containers)) stopProcess(lab, lifeOf(pod, name, restarts));
  }
  if (lab.now() < record.goneAt) return lookIn(cluster, record.goneAt - lab.now());
  if ((pod.metadata.finalizers ?? []).length > 0) return;
  remove(cluster, PODS, pod);
}

/** Removes the records of deleted pods, and stops the programs of machines that are off. */
function forgetLostPods(cluster: SimulatedCluster): void {
  const { lab, state } = cluster;
  const pods = new Map(Object.values(state.objects.pods ?? {}).map((pod) => [pod.metadata.uid, pod]));
  const on = new Set(cluster.nodes.filter(({ kubelet }) => kubelet.running).map(({ name, bootId }) => `${name}/${bootId}`));
  for (const [uid, record] of Object.entries(state.kubelet)) {
    const pod = pods.get(uid);
    if (pod && on.has(`${pod.spec.nodeName}/${record.bootId}`)) continue;
    for (const [name, { restarts }] of Object.entries(record.containers)) stopProcess(lab, `${uid}/${name}/${restarts}`);
    if (!pod) delete state.kubelet[uid];
  }
  for (const kept of [state.logs, state.written ?? {}]) {
    for (const life of Object.keys(kept)) if (!pods.has(life.slice(0, life.indexOf("/")))) delete kept[life];
  }
}

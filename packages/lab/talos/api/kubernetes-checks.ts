import type { Json } from "@talosmith/lib/json.ts";
import { type ClusterState, kubernetesState } from "../../kubernetes/state.ts";
import { at, list, word } from "../config/validate.ts";
import { etcdAnswers, localEtcd } from "../etcd/cluster.ts";
import { NODES_CHANGED } from "../view.ts";
import { type Called, configOf } from "./caller.ts";
import type { Expected } from "./expected-node.ts";

/** The cluster's state as the API server would return it; undefined in a lab without Kubernetes, and "down" when the API does not answer. */
function clusterOf(called: Called): ClusterState | "down" | undefined {
  const { lab, machine } = called;
  if (!lab.handles(NODES_CHANGED)) return undefined;
  const etcd = localEtcd(lab, machine)?.cluster.id;
  const state = kubernetesState(lab).clusters[`${configOf(called)?.clusterId}/${etcd}`];
  return state && etcdAnswers(lab, machine) ? state : "down";
}

type ClusterCheck = (objects: (resource: string) => Json[]) => string | undefined;

/** Checks the cluster; without Kubernetes in the lab, every check succeeds. */
function asking(called: Called, look: ClusterCheck): string | undefined {
  const cluster = clusterOf(called);
  if (cluster === undefined) return undefined;
  const host = new URL(configOf(called)?.endpoint ?? "https://localhost:6443").host;
  if (cluster === "down") return `Get "https://${host}/api/v1/nodes": dial tcp ${host}: connect: connection refused`;
  return look((resource) => Object.values(cluster.objects[resource] ?? {}) as unknown as Json[]);
}

const nameOf = (object: Json) => word(at(object, "metadata.name") ?? "");

function isTrue(object: Json, condition: string): boolean {
  return list(at(object, "status.conditions")).some((one) => at(one, "type") === condition && at(one, "status") === "True");
}

function addressesOf(node: Json): string[] {
  return list(at(node, "status.addresses"))
    .filter((one) => at(one, "type") === "InternalIP" || at(one, "type") === "ExternalIP")
    .map((one) => word(at(one, "address")));
}

export function nodesReported(called: Called, expected: readonly Expected[]): string | undefined {
  return asking(called, (objects) => {
    const nodes = objects("nodes");
    const missing = expected.find(({ address }) => !nodes.some((node) => addressesOf(node).includes(address)));
    if (missing) return `can't find expected node with IPs ["${missing.address}"]`;
    const odd = nodes.filter((node) => !expected.some(({ address }) => addressesOf(node).includes(address))).flatMap(addressesOf);
    return odd.length === 0 ? undefined : `unexpected nodes with IPs [${odd.map((ip) => `"${ip}"`).join(" ")}]`;
  });
}

function podsOf(objects: (resource: string) => Json[], app: string): Json[] {
  return objects("pods").filter(
    (pod) =>
      at(pod, "metadata.namespace") === "kube-system" &&
      (at(pod, "metadata.labels") as Record<string, Json>)?.["k8s-app"] === app,
  );
}

export function controlPlaneReady(called: Called, expected: readonly Expected[]): string | undefined {
  const count = expected.filter(({ role }) => role === "controlplane").length;
  return asking(called, (objects) => {
    for (const app of ["kube-apiserver", "kube-scheduler", "kube-controller-manager"]) {
      const pods = podsOf(objects, app);
      if (pods.length !== count) return `expected number of pods for ${app} to be ${count}, got ${pods.length}`;
      const waiting = pods.filter((pod) => !isTrue(pod, "Ready")).map(nameOf);
      if (waiting.length > 0) return `some pods are not ready for ${app}: [${waiting.join(" ")}]`;
    }
    return undefined;
  });
}

export function nodesReady(called: Called): string | undefined {
  return asking(called, (objects) => {
    const waiting = objects("nodes")
      .filter((node) => !isTrue(node, "Ready"))
      .map(nameOf);
    return waiting.length === 0 ? undefined : `some nodes are not ready: [${waiting.join(" ")}]`;
  });
}

export function nodesSchedulable(called: Called): string | undefined {
  return asking(called, (objects) => {
    const cordoned = objects("nodes")
      .filter((node) => at(node, "spec.unschedulable") === true)
      .map(nameOf);
    return cordoned.length === 0 ? undefined : `some nodes are not schedulable: [${cordoned.join(" ")}]`;
  });
}

function workload(called: Called, resource: string, app: string, replicas: string): string | undefined {
  return asking(called, (objects) => {
    const found = objects(resource).find(
      (one) => (at(one, "metadata.labels") as Record<string, Json> | undefined)?.["k8s-app"] === app,
    );
    if (!found) return "SKIP";
    const pods = podsOf(objects, app);
    const selector = `namespace "kube-system" and label selector "k8s-app=${app}"`;
    if (pods.length === 0) return `no pods found for ${selector}`;
    const waiting = pods.filter((pod) => !isTrue(pod, "Ready")).map(nameOf);
    const ready = pods.length - waiting.length;
    if (waiting.length > 0)
      return ready === 0 ? `no ready pods found for ${selector}` : `some pods are not ready: [${waiting.join(" ")}]`;
    const wanted = Number(at(found, replicas) ?? 0);
    return ready === wanted ? undefined : `expected ${wanted} ready pods, got ${ready}`;
  });
}

export function proxyReady(called: Called): string | undefined {
  return workload(called, "daemonsets.apps", "kube-proxy", "status.desiredNumberScheduled");
}

export function dnsReady(called: Called): string | undefined {
  return workload(called, "deployments.apps", "kube-dns", "spec.replicas");
}

import type { Read } from "../../engine/step.ts";
import type { DaemonSet, Deployment, Node, Pod } from "../../kubernetes/objects.ts";
import type { TalosNode } from "../../talos/api/talos-node.ts";
import { askEach } from "../../talos/health/asked.ts";
import { isBooting, MACHINE_STATUS } from "../../talos/health/reports.ts";
import type { Cluster } from "./cluster.ts";

export const SYSTEM_NAMESPACE = "kube-system";

export type Looks = ReturnType<typeof looksAt>;

/** The shared calls of checks. `isFirst`: this check has not looked yet, so another one's recent result will do. */
export function looksAt({ env, talos, kubernetes, glances }: Cluster, { signal, world }: Read, isFirst: boolean) {
  const { nodes } = env.config;
  const controlPlanes = nodes.filter((node) => node.role === "controlplane");
  const look = <T>(key: string, load: () => Promise<T>) => glances.see(key, { isFirst, clock: world.clock }, load);
  const namespace = SYSTEM_NAMESPACE;
  const machineStatus = () =>
    look("machine status", () => askEach(talos, nodes, (api) => api.resource(MACHINE_STATUS, signal), signal));
  return {
    nodes,
    controlPlanes,
    /** A call that only one check makes. */
    each: <T>(question: (api: TalosNode) => Promise<T>, of: readonly (typeof nodes)[number][] = nodes) =>
      askEach(talos, of, question, signal),
    versions: () => look("versions", () => askEach(talos, nodes, (api) => api.version(signal), signal)),
    services: () => look("services", () => askEach(talos, controlPlanes, (api) => api.services(signal), signal)),
    machineStatus,
    /** Whether a node says that it is on its way up. */
    booting: async () => (await machineStatus()).some((one) => one.is === "said" && isBooting(one.answer)),
    etcdMembers: () => look("etcd members", () => askEach(talos, controlPlanes, (api) => api.etcdMembers(signal), signal)),
    kubernetesNodes: () => look("nodes", () => kubernetes.list<Node>({ apiVersion: "v1", kind: "Node" }, signal)),
    pods: () => look("pods", () => kubernetes.list<Pod>({ apiVersion: "v1", kind: "Pod", namespace }, signal)),
    daemonSets: () => kubernetes.list<DaemonSet>({ apiVersion: "apps/v1", kind: "DaemonSet", namespace }, signal),
    deployments: () => kubernetes.list<Deployment>({ apiVersion: "apps/v1", kind: "Deployment", namespace }, signal),
  };
}

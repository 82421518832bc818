import type { Lab, Service } from "../kernel/kernel.ts";
import type { ControlPlaneView, NodeView, TalosLab } from "../talos/view.ts";
import { type ClusterState, kubernetesState } from "./state.ts";

/** One cluster at one instant: its state and its machines. */
export interface SimulatedCluster {
  lab: Lab;
  key: string;
  state: ClusterState;
  /** Every running machine of the cluster, whether its kubelet has registered or not. */
  nodes: readonly NodeView[];
  /** Machines whose API server answers. */
  servers: readonly ServerView[];
  settings: ControlPlaneView;
}

export interface ServerView extends NodeView {
  controlPlane: ControlPlaneView;
}

export function clusterKey(node: ServerView): string {
  return `${node.cluster}/${node.controlPlane.etcdCluster ?? ""}`;
}

export function nodesOf(lab: Lab): readonly NodeView[] {
  return lab.service<Service & TalosLab>("talos").nodes(lab);
}

/** The control planes with a running API server, of all clusters. */
export function serversOf(nodes: readonly NodeView[]): ServerView[] {
  return nodes.filter((node): node is ServerView => node.controlPlane?.etcd === true);
}

/** Every cluster whose API answers. Two etcds of one cluster are two clusters with the same machine names, as in reality. */
export function livingClusters(lab: Lab): SimulatedCluster[] {
  const nodes = nodesOf(lab);
  const { clusters } = kubernetesState(lab);
  const all = serversOf(nodes);
  return [...new Set(all.map(clusterKey))].flatMap((key) => {
    const servers = all.filter((node) => clusterKey(node) === key);
    const state = clusters[key];
    const [first] = servers;
    if (!state || !first) return [];
    return [{ lab, key, state, nodes: membersOf(nodes, key, first), servers, settings: first.controlPlane }];
  });
}

export function livingCluster(lab: Lab, key: string): SimulatedCluster | undefined {
  return livingClusters(lab).find((cluster) => cluster.key === key);
}

/** The machines of a cluster: a control plane belongs to the etcd whose data it has; a worker belongs by the cluster's id. */
function membersOf(nodes: readonly NodeView[], key: string, server: ServerView): NodeView[] {
  return nodes.filter(
    (node) =>
      node.cluster === server.cluster &&
      (!node.controlPlane?.etcd || `${node.cluster}/${node.controlPlane.etcdCluster ?? ""}` === key),
  );
}

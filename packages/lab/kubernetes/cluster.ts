import type { Lab, Service } from "../kernel/kernel.ts";
import type { ControlPlaneView, NodeView, TalosLab } from "../talos/view.ts";
import { type ClusterState, kubernetesState } from "./state.ts";

/** One cluster at one moment: its state and the machines it runs on. */
export interface Cluster {
  lab: Lab;
  key: string;
  state: ClusterState;
  /** Every machine of the cluster that is on, whether its kubelet has registered or not. */
  nodes: readonly NodeView[];
  /** Those whose API server answers. */
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

/** The control planes that run an API server, of all clusters. */
export function serversOf(nodes: readonly NodeView[]): ServerView[] {
  return nodes.filter((node): node is ServerView => node.controlPlane?.etcd === true);
}

/** Every cluster whose API answers. Two etcds of one cluster are two clusters that share the same machines' names, as in life. */
export function livingClusters(lab: Lab): Cluster[] {
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

export function livingCluster(lab: Lab, key: string): Cluster | undefined {
  return livingClusters(lab).find((cluster) => cluster.key === key);
}

/** A control plane belongs to the etcd it has data of; a worker follows the cluster's id. */
function membersOf(nodes: readonly NodeView[], key: string, server: ServerView): NodeView[] {
  return nodes.filter(
    (node) =>
      node.cluster === server.cluster &&
      (!node.controlPlane?.etcd || `${node.cluster}/${node.controlPlane.etcdCluster ?? ""}` === key),
  );
}

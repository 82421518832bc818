import { formatIpv4, parseCidr } from "@talosmith/lib/cidr.ts";
import type { NodeView } from "../../talos/view.ts";
import { createObject, quietly } from "../api/write.ts";
import type { SimulatedCluster } from "../cluster.ts";
import { contentHash, microTime, timestamp } from "../identity.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { nodeRunsCni } from "../pods/node-network.ts";
import { builtin } from "../resources/catalogue.ts";
import { lookIn } from "../store/look.ts";
import { all, put, read } from "../store/store.ts";
import { type Condition, withConditions } from "./conditions.ts";
import { markNode, withState } from "./node-marks.ts";

const NODES = builtin("nodes");
/** A node without heartbeats for this long counts as unreachable. */
const GRACE_MS = 40_000;

/** Registers nodes and updates their status; marks nodes without heartbeats. */
export function lookAfterNodes(cluster: SimulatedCluster): void {
  for (const view of cluster.nodes) if (view.kubelet.running) heard(cluster, view);
  const present = new Set(cluster.nodes.filter(({ kubelet }) => kubelet.running).map(({ name }) => name));
  for (const node of all(cluster, NODES)) if (!present.has(node.metadata.name)) silent(cluster, node);
}

function heard(cluster: SimulatedCluster, view: NodeView): void {
  const { machines } = cluster.state;
  const known = machines[view.name];
  let node = read(cluster, NODES, undefined, view.name);
  if (!node) {
    // A kubelet registers when it starts; a Node deleted under a running kubelet stays deleted.
    if (known?.bootId === view.bootId) return;
    node = register(cluster, view);
    lease(cluster, node);
  }
  const machine = { bootId: view.bootId, images: known?.images ?? [], ...(known?.networkOf && { networkOf: known.networkOf }) };
  machines[view.name] = machine;
  if (machine.networkOf !== view.bootId && nodeRunsCni(cluster, view.name)) machine.networkOf = view.bootId;
  const ready = machine.networkOf === view.bootId;
  const marked = markNode(cluster, view, node);
  put(cluster, NODES, {
    ...marked,
    spec: withState(marked.spec, ready ? [] : ["not-ready"]),
    status: {
      ...node.status,
      ...statusOf(view, node),
      conditions: withConditions(cluster, node.status?.conditions, conditionsOf(ready), beat(cluster)),
    },
  });
}

/** The heartbeat time is rounded to five minutes, so that nothing changes without need. */
function beat(cluster: SimulatedCluster): Loose {
  return { lastHeartbeatTime: timestamp(Math.floor(cluster.lab.now() / 300_000) * 300_000) };
}

function silent(cluster: SimulatedCluster, node: KubeObject) {
  const { name } = node.metadata;
  const machine = cluster.state.machines[name] ?? { bootId: "", images: [] };
  cluster.state.machines[name] = machine;
  machine.lostAt ??= cluster.lab.now();
  const left = machine.lostAt + GRACE_MS - cluster.lab.now();
  if (left > 0) return lookIn(cluster, left);
  const unknown = ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map(
    (type): Condition => ({
      type,
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
    }),
  );
  put(cluster, NODES, {
    ...node,
    spec: withState(node.spec, ["unreachable"]),
    status: { ...node.status, conditions: withConditions(cluster, node.status?.conditions, unknown) },
  });
}

/** The taint of a node until a cloud controller has initialized it. */
const UNINITIALIZED = { key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" };

function register(cluster: SimulatedCluster, view: NodeView): KubeObject {
  return createObject(
    cluster,
    NODES,
    undefined,
    {
      apiVersion: "v1",
      kind: "Node",
      metadata: {
        name: view.name,
        annotations: {
          "node.alpha.kubernetes.io/ttl": "0",
          "volumes.kubernetes.io/controller-managed-attach-detach": "true",
        },
      },
      spec: { ...podRange(cluster), ...(view.kubelet.externalCloud && { taints: [UNINITIALIZED] }) },
    },
    quietly(),
  );
}

/** The kubelet's heartbeat lease. The lab does not read it; `describe node` does. */
function lease(cluster: SimulatedCluster, node: KubeObject): void {
  const { name, uid } = node.metadata;
  const leases = builtin("leases.coordination.k8s.io");
  if (read(cluster, leases, "kube-node-lease", name)) return;
  const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTime(cluster.lab.now()) };
  const ownerReferences = [{ apiVersion: "v1", kind: "Node", name, uid }];
  createObject(
    cluster,
    leases,
    "kube-node-lease",
    { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name, ownerReferences }, spec },
    quietly(),
  );
}

/** Each node gets the next free /24 of the pod subnet. */
function podRange(cluster: SimulatedCluster): Loose {
  const subnet = parseCidr(cluster.settings.podSubnets[0] ?? "");
  if (!subnet) return {};
  const used = new Set(all(cluster, NODES).map(({ spec }) => spec?.podCIDR));
  for (let network = subnet.network; network <= subnet.broadcast; network += 256) {
    const range = `${formatIpv4(network)}/24`;
    if (!used.has(range)) return { podCIDR: range, podCIDRs: [range] };
  }
  return {};
}

function conditionsOf(ready: boolean): Condition[] {
  return [
    {
      type: "MemoryPressure",
      status: "False",
      reason: "KubeletHasSufficientMemory",
      message: "kubelet has sufficient memory available",
    },
    { type: "DiskPressure", status: "False", reason: "KubeletHasNoDiskPressure", message: "kubelet has no disk pressure" },
    { type: "PIDPressure", status: "False", reason: "KubeletHasSufficientPID", message: "kubelet has sufficient PID available" },
    ready
      ? { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" }
      : {
          type: "Ready",
          status: "False",
          reason: "KubeletNotReady",
          message: `container runtime network not ready: ${NETWORK_NOT_READY}`,
        },
  ];
}

export const NETWORK_NOT_READY =
  "NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized";

/** Devices that plugins have announced since the machine booted: "nvidia.com/gpu". */
function devices(list: Record<string, string> | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(list ?? {}).filter(([name]) => name.includes("/")));
}

function statusOf(view: NodeView, { status }: KubeObject): Loose {
  const same = status?.nodeInfo?.bootID === view.bootId;
  const size = {
    cpu: String(view.cpus),
    memory: `${view.memoryMiB * 1024}Ki`,
    pods: "110",
    "ephemeral-storage": `${view.diskGiB}Gi`,
  };
  return {
    addresses: [
      { type: "InternalIP", address: view.nodeIp },
      { type: "Hostname", address: view.name },
    ],
    capacity: { ...size, ...(same && devices(status.capacity)) },
    allocatable: {
      ...size,
      memory: `${Math.max(0, view.memoryMiB - 300) * 1024}Ki`,
      ...(same && devices(status.allocatable)),
    },
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      architecture: "amd64",
      bootID: view.bootId,
      containerRuntimeVersion: "containerd://2.1.5",
      kernelVersion: view.kernel,
      kubeProxyVersion: "",
      kubeletVersion: view.kubelet.version,
      machineID: contentHash(view.machineId, 32),
      operatingSystem: "linux",
      osImage: `Talos (${view.talos})`,
      systemUUID: view.machineId,
    },
  };
}

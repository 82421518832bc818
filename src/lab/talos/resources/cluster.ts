import { createHash } from "node:crypto";
import { type Called, configOf } from "../api/caller.ts";
import { type MachineConfig, machineConfig, value } from "../config/machine-config.ts";
import { localEtcd } from "../etcd/cluster.ts";
import { addressesOf, networkOf } from "../machine/network.ts";
import { isHealthy } from "../machine/services.ts";
import { kubernetesNode } from "../machine/status.ts";
import { type Machine, talosState } from "../state.ts";
import { encodeStruct } from "./layout.ts";
import { described, type ResourceType, yamlOf } from "./resource.ts";

/** Whoever announces itself to the discovery service under the same cluster id. */
function discovered(called: Called): { machine: Machine; config: MachineConfig }[] {
  const own = configOf(called);
  if (!own || value(own, "cluster.discovery.enabled") !== true) return [];
  return Object.values(talosState(called.lab).machines).flatMap((machine) => {
    const { boot } = machine;
    const config = boot?.config === undefined ? undefined : machineConfig(boot.config);
    const here = boot?.api === "certificates" && config?.clusterId === own.clusterId;
    return here && value(config, "cluster.discovery.enabled") === true ? [{ machine, config }] : [];
  });
}

function nodeId(machine: Machine): string {
  return createHash("sha256").update(`talos node ${machine.hardware.uuid}`).digest("base64").replace(/[+/=]/g, "0");
}

const STATIC_PODS = ["kube-apiserver", "kube-controller-manager", "kube-scheduler"];

export const clusterTypes: readonly ResourceType[] = [
  described(
    { type: "Members.cluster.talos.dev", namespace: "cluster" },
    [
      [1, "nodeId", "string"],
      [2, "addresses", "ips"],
      [3, "hostname", "string"],
      [4, "machineType", { numbers: { controlplane: 2, worker: 3 } }],
      [5, "operatingSystem", "string"],
      [6, "controlPlane", { message: [[1, "port", "uint"]] }],
    ],
    (called) =>
      discovered(called).map(({ machine, config }) => {
        const { hostname } = networkOf(machine);
        return [
          hostname,
          {
            nodeId: nodeId(machine),
            addresses: addressesOf(machine),
            hostname,
            machineType: config.role,
            operatingSystem: `Talos (${machine.boot?.system.version})`,
            ...(config.role === "controlplane" && { controlPlane: { port: 6443 } }),
          },
        ];
      }),
  ),
  described(
    { type: "Nodenames.kubernetes.talos.dev", namespace: "k8s" },
    [
      [1, "nodename", "string"],
      [2, "hostnameVersion", "string"],
      [3, "skipNodeRegistration", "bool"],
    ],
    (called) =>
      configOf(called)
        ? [["nodename", { nodename: networkOf(called.machine).hostname, hostnameVersion: "1", skipNodeRegistration: false }]]
        : [],
  ),
  described(
    { type: "NodeStatuses.kubernetes.talos.dev", namespace: "k8s" },
    [
      [1, "nodename", "string"],
      [2, "nodeReady", "bool"],
      [3, "unschedulable", "bool"],
      [4, "labels", "map"],
      [5, "annotations", "map"],
      [6, "podCIDRs", "prefixes"],
    ],
    (called) => {
      const config = configOf(called);
      if (!config || !isHealthy(called.boot, "kubelet") || called.boot.stage !== "running") return [];
      const { hostname: nodename } = networkOf(called.machine);
      const seen = kubernetesNode(called.lab, config.clusterId, nodename);
      return [
        [
          nodename,
          {
            nodename,
            nodeReady: seen?.ready ?? true,
            unschedulable: seen?.unschedulable ?? false,
            labels: { ...seen?.labels },
            annotations: { ...seen?.annotations },
            podCIDRs: [...(seen?.podCIDRs ?? [])],
          },
        ],
      ];
    },
  ),
  {
    type: "StaticPodStatuses.kubernetes.talos.dev",
    namespace: "k8s",
    aliases: ["podstatus"],
    items: ({ machine, boot }) => {
      if (boot.staticPods !== "running") return [];
      const { hostname } = networkOf(machine);
      return STATIC_PODS.map((name) => {
        const types = ["Initialized", "Ready", "ContainersReady", "PodScheduled"];
        const status = { phase: "Running", conditions: types.map((type) => ({ type, status: "True" })) };
        return { id: `kube-system/${name}-${hostname}`, yaml: yamlOf(status), proto: encodeStruct(1, status) };
      });
    },
  },
  described({ type: "EtcdMembers.etcd.talos.dev", namespace: "etcd" }, [[1, "memberID", "string"]], ({ lab, machine }) => {
    const member = localEtcd(lab, machine)?.member;
    return member ? [["local", { memberID: member.id }]] : [];
  }),
  described({ type: "KubeletSpecs.kubernetes.talos.dev", namespace: "k8s" }, [[1, "image", "string"]], (called) => {
    const config = configOf(called);
    return config ? [["kubelet", { image: value(config, "machine.kubelet.image") }]] : [];
  }),
];

import type { Lab } from "../../kernel/kernel.ts";
import { machineConfig } from "../config/machine-config.ts";
import type { Machine, ServiceName, Stage } from "../state.ts";
import { type KubernetesLab, type KubernetesNode, NODES_CHANGED } from "../view.ts";
import { networkOf } from "./network.ts";
import { isHealthy, isRunning } from "./services.ts";

export interface Status {
  stage: Stage;
  ready: boolean;
  unmet: { name: string; reason: string }[];
}

/** Services that must run before a machine counts as booted. */
export function requiredServices(role: "controlplane" | "worker"): ServiceName[] {
  return role === "controlplane" ? ["apid", "etcd", "kubelet", "machined", "trustd"] : ["apid", "kubelet", "machined"];
}

/** The machine's MachineStatuses.runtime.talos.dev (docs/facts/talos.md#resources). */
export function statusOf(lab: Lab, machine: Machine): Status {
  const { boot } = machine;
  if (!boot) return { stage: "booting", ready: false, unmet: [] };
  const { stage } = boot;
  const config = boot.config === undefined ? undefined : machineConfig(boot.config);
  if (stage === "maintenance") return { stage, ready: true, unmet: [] };
  if (!config || (stage !== "booting" && stage !== "running")) return { stage, ready: false, unmet: [] };
  const unmet: Status["unmet"] = [];
  const down = requiredServices(config.role).flatMap((id) => {
    if (!isRunning(boot, id)) return [`${id} not running`];
    return isHealthy(boot, id) ? [] : [`${id} not healthy`];
  });
  if (down.length > 0) unmet.push({ name: "services", reason: down.join(", ") });
  if (config.role === "controlplane" && boot.staticPods !== "running")
    unmet.push({ name: "staticPods", reason: "kube-system/kube-apiserver not running" });
  const { hostname } = networkOf(machine);
  if (kubernetesNode(lab, config.clusterId, hostname)?.ready === false)
    unmet.push({ name: "nodeReady", reason: `node "${hostname}" status is not available yet` });
  return { stage, ready: stage === "running" && unmet.length === 0, unmet };
}

const UNREGISTERED: KubernetesNode = { ready: false, unschedulable: false, labels: {}, annotations: {}, podCIDRs: [] };

/** A node's status in Kubernetes; undefined in a lab without Kubernetes. */
export function kubernetesNode(lab: Lab, cluster: string, name: string): KubernetesNode | undefined {
  if (!lab.handles(NODES_CHANGED)) return undefined;
  const kubernetes = lab.service<KubernetesLab>("kubernetes");
  return kubernetes.node && (kubernetes.node(lab, cluster, name) ?? UNREGISTERED);
}

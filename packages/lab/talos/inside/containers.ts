import { createHash } from "node:crypto";
import { kubernetesState, type LogLine } from "../../kubernetes/state.ts";
import type { Called } from "../api/caller.ts";
import { configOf } from "../api/caller.ts";
import { type MachineConfig, textAt } from "../config/machine-config.ts";
import { networkOf } from "../machine/network.ts";
import { isRunning } from "../machine/services.ts";
import { releaseOf } from "../versions.ts";
import { NODES_CHANGED } from "../view.ts";

/** The containerd of a container, and its namespace: Talos's own, or the one for Kubernetes. */
export type Home = "system" | "cri system" | "k8s.io";

export interface Container {
  home: Home;
  /** "apid", "kube-system/coredns-7f:coredns:0a1b2c3d4e5f" */
  id: string;
  name: string;
  /** "kube-system/coredns-7f"; the container itself when it is not in a pod. */
  pod: string;
  image: string;
  /** 64 hex digits. */
  internalId: string;
  /** Uid of the pod; only its sandbox has it. */
  uid?: string;
  sandbox?: true;
  /** Absent for the host network. */
  network?: string;
  running: boolean;
  /** For a container in a pod. */
  log?: readonly LogLine[];
}

export const PAUSE = "registry.k8s.io/pause:3.10.1";

/** All containers on this node at this moment. */
export function containersOf(called: Called): Container[] {
  return [...ownContainers(called), ...podContainers(called)];
}

function ownContainers(called: Called): Container[] {
  const config = configOf(called);
  if (!config) return [];
  const own: readonly [string, Home, string][] = [
    // They run from the machine's root file system, without an image.
    ["apid", "system", ""],
    ["trustd", "system", ""],
    ["etcd", "cri system", etcdImage(called, config)],
    ["kubelet", "cri system", kubeletImage(called, config)],
  ];
  return own
    .filter(([id]) => isRunning(called.boot, id as "apid"))
    .map(([id, home, image]) => ({
      home,
      id,
      name: id,
      pod: id,
      image,
      internalId: id,
      running: true,
    }));
}

export function etcdImage(called: Called, config: MachineConfig): string {
  return textAt(config, "cluster.etcd.image") ?? `registry.k8s.io/etcd:v${releaseOf(called.boot.system.version).etcd}`;
}

export function kubeletImage(called: Called, config: MachineConfig): string {
  return (
    textAt(config, "machine.kubelet.image") ?? `ghcr.io/siderolabs/kubelet:${releaseOf(called.boot.system.version).kubernetes}`
  );
}

/** The containers of pods: each sandbox first, then the pod's containers. */
function podContainers(called: Called): Container[] {
  const { lab, machine, boot } = called;
  const config = configOf(called);
  if (!config || !lab.handles(NODES_CHANGED)) return [];
  const { hostname } = networkOf(machine);
  const clusters = Object.entries(kubernetesState(lab).clusters).filter(([key]) => key.startsWith(`${config.clusterId}/`));
  return clusters.flatMap(([, { objects, kubelet, logs }]) =>
    Object.values(objects.pods ?? {}).flatMap(({ metadata, spec }) => {
      const record = kubelet[metadata.uid];
      if (spec.nodeName !== hostname || record?.bootId !== boot.id) return [];
      const pod = `${metadata.namespace}/${metadata.name}`;
      const network = spec.hostNetwork === true ? {} : { network: `cni-${metadata.uid}` };
      const started = Object.entries(record.containers).filter(([, one]) => one.is === "running" || one.is === "ended");
      if (started.length === 0) return [];
      const sandbox = hexOf(pod, metadata.uid);
      const images = new Map<string, string>(
        [...(spec.initContainers ?? []), ...spec.containers].map((one: { name: string; image: string }) => [one.name, one.image]),
      );
      return [
        {
          ...inPod(pod, sandbox),
          id: pod,
          name: pod,
          image: PAUSE,
          uid: metadata.uid,
          sandbox: true as const,
          running: true,
          ...network,
        },
        ...started.map(([name, { is, restarts }]) => {
          const internalId = hexOf(pod, metadata.uid, name, String(restarts));
          const id = `${pod}:${name}:${internalId.slice(0, 12)}`;
          const log = logs[`${metadata.uid}/${name}/${restarts}`] ?? [];
          return { ...inPod(pod, internalId), id, name, image: images.get(name) ?? "", running: is === "running", log };
        }),
      ];
    }),
  );
}

const inPod = (pod: string, internalId: string) => ({ home: "k8s.io" as const, pod, internalId });

function hexOf(...of: readonly string[]): string {
  return createHash("sha256").update(of.join("\n")).digest("hex");
}

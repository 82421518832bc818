import type { SimulatedCluster } from "../cluster.ts";
import { filesOf, Missing } from "../pods/environment.ts";
import { podsOn } from "../pods/node-network.ts";
import { builtin } from "../resources/catalogue.ts";
import { all, put } from "../store/store.ts";
import { findImage } from "./images.ts";

/** Adds the devices of running device plugins to their nodes. The devices of a stopped plugin stay, but cannot be allocated. */
export function announceDevices(cluster: SimulatedCluster): void {
  for (const node of all(cluster, builtin("nodes"))) {
    const told: Record<string, string> = {};
    for (const pod of podsOn(cluster, node.metadata.name)) {
      const ready = new Set<string>();
      for (const { name, ready: is } of pod.status?.containerStatuses ?? []) if (is) ready.add(name);
      for (const container of pod.spec.containers ?? []) {
        const announces = findImage(container.image)?.announces;
        if (!announces || !ready.has(container.name)) continue;
        try {
          // NVIDIA's runtime gives a container the cards without a mount.
          const given = pod.spec.runtimeClassName === "nvidia" ? hostOf(cluster, node.metadata.name) : {};
          Object.assign(told, announces(container.command ?? [], { ...given, ...filesOf(cluster, pod, container) }));
        } catch (error) {
          if (!(error instanceof Missing)) throw error;
        }
      }
    }
    const { capacity = {}, allocatable = {} } = node.status ?? {};
    const lost = Object.keys(capacity).filter((name) => name.includes("/") && !(name in told));
    const wanted = { ...told, ...Object.fromEntries(lost.map((name) => [name, "0"])) };
    const same = Object.entries(wanted).every(([name, count]) => allocatable[name] === count && name in capacity);
    if (same) continue;
    const status = { ...node.status, capacity: { ...capacity, ...told }, allocatable: { ...allocatable, ...wanted } };
    put(cluster, builtin("nodes"), { ...node, status });
  }
}

function hostOf(cluster: SimulatedCluster, node: string): Readonly<Record<string, string>> {
  return cluster.nodes.find(({ name }) => name === node)?.files ?? {};
}

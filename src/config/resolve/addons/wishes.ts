import type { MachineWishes } from "../../../catalog/addons/addon.ts";
import type { ClusterConfig, KernelModule, NodeConfig } from "../../config.ts";
import { sure } from "../values.ts";

type Wished = readonly MachineWishes[];

/** What addons need of the cluster, joined to what the file says of it. */
export function clusterWithWishes(cluster: ClusterConfig, wishes: Wished): ClusterConfig {
  const access = [cluster, ...wishes].flatMap(({ talosApiAccess }) => talosApiAccess ?? []);
  const joined = (key: "roles" | "namespaces") => [...new Set(access.flatMap((one) => one[key]))];
  return {
    ...cluster,
    kubeletCertificates: cluster.kubeletCertificates || wishes.some(({ kubeletCertificates }) => kubeletCertificates === true),
    externalCloudProvider:
      cluster.externalCloudProvider || wishes.some(({ externalCloudProvider }) => externalCloudProvider === true),
    ...(access.length > 0 && { talosApiAccess: { roles: joined("roles"), namespaces: joined("namespaces") } }),
  };
}

type Wishable = Pick<NodeConfig, "role" | "image" | "labels" | "sysctls" | "kernelModules" | "kubeletMounts" | "volumes">;

/** What addons need of a node, under what the file says of it. Only where workloads run is there anything to be prepared for them. */
export function nodeWithWishes<N extends Wishable>(node: N, wishes: Wished, cluster: ClusterConfig): N {
  const labels = Object.assign({}, ...wishes.map((wish) => wish.labels), node.labels);
  if (node.role === "controlplane" && !cluster.scheduleOnControlPlanes) return { ...node, labels };
  const each = (key: "extensions" | "kernelModules" | "kubeletMounts") => wishes.flatMap((wish) => wish[key] ?? []);
  const own = new Set(node.kernelModules.map(({ name }) => name));
  const modules = [...new Set(each("kernelModules"))].filter((name) => !own.has(name) && !isOfGpu(name));
  return {
    ...node,
    labels,
    image: imageWith(node.image, each("extensions")),
    sysctls: Object.assign({}, ...wishes.map((wish) => wish.sysctls), node.sysctls),
    kernelModules: [...modules.map((name): KernelModule => ({ name, parameters: [] })), ...node.kernelModules],
    kubeletMounts: [...new Set([...node.kubeletMounts, ...each("kubeletMounts")])],
  };
}

/** A schematic made elsewhere is complete. */
function imageWith(image: NodeConfig["image"], extensions: readonly string[]): NodeConfig["image"] {
  if (image.schematic !== undefined) return image;
  const more = extensions.filter((name) => !isOfGpu(sure(name.split("/").at(-1))));
  return { ...image, extensions: [...new Set([...image.extensions, ...more])].sort() };
}

/** Which driver a node has is said by its `gpu`, and so is that it has one. */
export function isOfGpu(name: string): boolean {
  return /^(nvidia|nonfree-kmod-nvidia)/.test(name);
}

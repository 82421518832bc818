import type { AddonPart } from "../catalog/addons/addon.ts";
import type { Config } from "./config.ts";

/** Where the pod network comes from. "brought": cluster.cni is none, and something else in the config may bring one; "left": to the user, by hand. */
type PodNetwork = "ours" | "brought" | "left";

export function podNetwork({ cluster, addons, nodes }: Pick<Config, "cluster" | "addons" | "nodes">): PodNetwork {
  if (cluster.cni !== "none") return "ours";
  const own = addons.all.filter(({ tier }) => tier === "charts" || tier === "manifests");
  const brings = own.some(({ parts }) => parts.some(mayBeNetwork)) || nodes.some(({ patches }) => patches.some(isNetworkPatch));
  return brings ? "brought" : "left";
}

/** Every CNI is a DaemonSet. What a chart or a file from elsewhere holds is not known here. */
function mayBeNetwork(part: AddonPart): boolean {
  return part.kind === "objects" ? part.objects.some(({ kind }) => kind === "DaemonSet") : part.kind !== "age-key";
}

/** A CNI by Talos itself: `cni.urls`, flannel, or manifests that Talos applies. */
function isNetworkPatch({ documents }: { documents: readonly object[] }): boolean {
  return /kind: DaemonSet|"extraManifests"|"urls"|KubeFlannelCNIConfig/.test(JSON.stringify(documents));
}

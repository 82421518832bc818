import type { AddonPart } from "../catalog/addons/addon.ts";
import type { Config } from "./config.ts";

/** The source of the pod network. "brought": cluster.cni is none and another part of the config may install one; "left": the user installs it. */
type PodNetwork = "ours" | "brought" | "left";

export function podNetwork({ cluster, addons, nodes }: Pick<Config, "cluster" | "addons" | "nodes">): PodNetwork {
  if (cluster.cni !== "none") return "ours";
  const own = addons.all.filter(({ tier }) => tier === "charts" || tier === "manifests");
  const brings = own.some(({ parts }) => parts.some(mayBeNetwork)) || nodes.some(({ patches }) => patches.some(isNetworkPatch));
  return brings ? "brought" : "left";
}

/** Whether a part may install a CNI, which is always a DaemonSet. The contents of charts and remote files are unknown. */
function mayBeNetwork(part: AddonPart): boolean {
  return part.kind === "objects" ? part.objects.some(({ kind }) => kind === "DaemonSet") : part.kind !== "age-key";
}

/** A CNI by Talos itself: `cni.urls`, flannel, or manifests that Talos applies. */
function isNetworkPatch({ documents }: { documents: readonly object[] }): boolean {
  return /kind: DaemonSet|"extraManifests"|"urls"|KubeFlannelCNIConfig/.test(JSON.stringify(documents));
}

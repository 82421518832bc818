import type { Config, NodeConfig } from "../../config/config.ts";
import { installerImage } from "../config/cluster-input.ts";
import { schematicOf } from "./image.ts";

/** Talos writes a node's platform into its boot entry when it installs itself, so the installer must be of the right one. */
const TALOS_PLATFORM = { proxmox: "nocloud", metal: "metal" } as const;

/** What puts a node's Talos on its disk, and what an upgrade is asked with. It has every architecture in it: the node takes its own. */
export function installerOf({ platform, image, cluster }: Config, node: NodeConfig): string {
  return installerImage({
    factory: image.factory,
    platform: TALOS_PLATFORM[platform],
    schematic: schematicOf(node.image),
    talos: cluster.talos,
    secureboot: image.secureboot,
  });
}

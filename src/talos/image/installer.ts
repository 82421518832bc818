import type { Config, NodeConfig } from "../../config/config.ts";
import { installerImage } from "../config/cluster-input.ts";
import { schematicOf } from "./image.ts";

/**
 * What puts a node's Talos on its disk, and what an upgrade is asked with. It has every architecture in it: the node takes its own. Talos writes a node's
 * platform into its boot entry when it installs itself, so the installer must be of the right one.
 */
export function installerOf({ image, cluster }: Pick<Config, "image" | "cluster">, node: NodeConfig): string {
  return installerImage({
    factory: image.factory,
    platform: image.talosPlatform,
    schematic: schematicOf(node.image),
    talos: cluster.talos,
    secureboot: image.secureboot,
  });
}

import type { Config, NodeConfig } from "../../config/config.ts";
import { installerImage } from "../config/cluster-input.ts";
import { schematicOf } from "./image.ts";

/**
 * The installer image of a node, for installations and upgrades. It contains all architectures. Talos writes a node's platform into its boot entry
 * when it installs itself, so the installer must be of the right one.
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

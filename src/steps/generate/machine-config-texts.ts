import { basename } from "node:path";
import type { Environment } from "../../environment/environment.ts";
import { paths } from "../../environment/folder.ts";
import { baseConfig } from "../../talos/config/base-config.ts";
import { installerImage } from "../../talos/config/cluster-input.ts";
import { nodePatch } from "../../talos/config/node-patch.ts";
import { printConfig } from "../../talos/config/print.ts";
import { schematicOf } from "../../talos/image/image.ts";
import type { SecretsBundle } from "../../talos/secrets/bundle.ts";

/** File name → content. */
export type ConfigTexts = ReadonlyMap<string, string>;

/** Talos writes a node's platform into its boot entry when it installs itself, so the installer must be of the right one. */
const TALOS_PLATFORM = { proxmox: "nocloud", metal: "metal" } as const;

/** Everything the nodes are told, as files. The same input gives the same bytes. */
export function machineConfigTexts(
  env: Environment,
  secrets: SecretsBundle,
  macOf: (node: string) => string | undefined,
): ConfigTexts {
  const { cluster, network, image, nodes, platform } = env.config;
  const installDisk = nodes[0]?.installDisk ?? "";
  const installer = {
    factory: image.factory,
    platform: TALOS_PLATFORM[platform],
    schematic: schematicOf(image),
    talos: cluster.talos,
  };
  const input = { ...cluster, secrets, installDisk, installerImage: installerImage(installer) };
  const texts = new Map<string, string>();
  for (const role of ["controlplane", "worker"] as const)
    texts.set(basename(paths.machineConfig("", role)), printConfig(baseConfig(input, role)));
  for (const node of nodes) {
    const patch = nodePatch({ ...node, mac: macOf(node.name), network, vip: cluster.vip, baseInstallDisk: installDisk });
    texts.set(basename(paths.patch("", node.name)), printConfig(patch));
  }
  return texts;
}

import { basename } from "node:path";
import type { NodeConfig, Role, WireguardConfig } from "../../config/config.ts";
import type { Environment } from "../../environment/environment.ts";
import { paths } from "../../environment/folder.ts";
import { baseConfig } from "../../talos/config/base-config.ts";
import { firewallDocuments } from "../../talos/config/node/firewall.ts";
import { nodePatch } from "../../talos/config/node-patch.ts";
import { printConfig } from "../../talos/config/print.ts";
import { installerOf } from "../../talos/image/installer.ts";
import type { SecretsBundle } from "../../talos/secrets/bundle.ts";
import { wireguardAddresses } from "../../talos/wireguard/addresses.ts";
import { wireguardDocument } from "../../talos/wireguard/wireguard.ts";

/** File name → content. */
export type ConfigTexts = ReadonlyMap<string, string>;

/** The machine configs as files. Equal input gives equal bytes. User patches are applied later, per node. */
export function machineConfigTexts(
  env: Environment,
  secrets: SecretsBundle,
  macOf: (node: string, card: number) => string | undefined,
): ConfigTexts {
  const { cluster, network, registries, nodes, wireguard } = env.config;
  const texts = new Map<string, string>();
  for (const role of ["controlplane", "worker"] as const) {
    const one = typical(env, role);
    const base = { installDisk: one.installDisk, installerImage: installerOf(env.config, one) };
    const certSANs = [...cluster.certSANs, ...addressesOf(wireguard, nodes, role)];
    const config = baseConfig({ ...cluster, certSANs, network, nodes, wireguard, registries, secrets, ...base }, role);
    texts.set(basename(paths.machineConfig("", role)), printConfig(config));
    const firewall = env.config.firewall && firewallDocuments(env.config.firewall, { cluster, network, nodes, wireguard }, role);
    for (const node of nodes.filter((one) => one.role === role)) {
      const patch = nodePatch({
        node,
        network,
        cluster,
        mac: macOf(node.name, 0),
        nicMacs: node.nics.map((_, at) => macOf(node.name, at + 1)),
        installerImage: installerOf(env.config, node),
        base,
        firewall,
        wireguard: wireguard && wireguardDocument(wireguard, { network, nodes, secrets }, node.name),
      });
      texts.set(basename(paths.patch("", node.name)), printConfig(patch));
    }
  }
  return texts;
}

/** The WireGuard addresses of the role's nodes, which their certificates must contain. */
function addressesOf(wireguard: WireguardConfig | undefined, nodes: readonly NodeConfig[], role: Role): string[] {
  if (wireguard === undefined) return [];
  const addresses = wireguardAddresses(wireguard, nodes);
  return nodes.filter((node) => node.role === role).flatMap(({ name }) => addresses.get(name) ?? []);
}

/** The node that a role's base config is written for; other nodes have differences in their patches. */
function typical({ config: { nodes } }: Environment, role: Role): NodeConfig {
  return nodes.find((node) => node.role === role) ?? (nodes[0] as NodeConfig);
}

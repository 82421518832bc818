import { onceEach } from "@talosmith/lib/once-each.ts";
import type { NodeConfig, Role, WireguardConfig } from "../../config/config.ts";
import { DEFAULT_INSTALL_DISK } from "../../config/defaults.ts";
import type { Environment } from "../../environment/environment.ts";
import { baseConfig } from "../../talos/config/base-config.ts";
import { MachineConfig } from "../../talos/config/machine-config.ts";
import { firewallDocuments } from "../../talos/config/node/firewall.ts";
import { nodePatch } from "../../talos/config/node-patch.ts";
import { installerOf } from "../../talos/image/installer.ts";
import type { SecretsBundle } from "../../talos/secrets/bundle.ts";
import { wireguardAddresses } from "../../talos/wireguard/addresses.ts";
import { wireguardDocument } from "../../talos/wireguard/wireguard.ts";

/** The two generated parts of a node's config. Equal input gives equal bytes. User patches are applied later, per node. */
export interface ConfigParts {
  base(role: Role): MachineConfig;
  patch(node: NodeConfig): MachineConfig;
}

export function configParts(
  env: Environment,
  secrets: SecretsBundle,
  macOf: (node: string, card: number) => string | undefined,
): ConfigParts {
  const { cluster, network, registries, nodes, wireguard } = env.config;
  const ofRole = onceEach((role: Role) => {
    const one = typical(env, role);
    const common = { installDisk: one.installDisk ?? DEFAULT_INSTALL_DISK, installerImage: installerOf(env.config, one) };
    const certSANs = [...cluster.certSANs, ...addressesOf(wireguard, nodes, role)];
    const base = baseConfig({ ...cluster, certSANs, network, nodes, wireguard, registries, secrets, ...common }, role);
    const firewall = env.config.firewall && firewallDocuments(env.config.firewall, { cluster, network, nodes, wireguard }, role);
    return { common, base: MachineConfig.of(base), firewall };
  });
  return {
    base: (role) => ofRole(role).base,
    patch: onceEach((node) => {
      const { common, firewall } = ofRole(node.role);
      const patch = nodePatch({
        node,
        network,
        cluster,
        mac: macOf(node.name, 0),
        nicMacs: node.nics.map((_, at) => macOf(node.name, at + 1)),
        installerImage: installerOf(env.config, node),
        base: common,
        firewall,
        wireguard: wireguard && wireguardDocument(wireguard, { network, nodes, secrets }, node.name),
      });
      return MachineConfig.of(patch);
    }),
  };
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

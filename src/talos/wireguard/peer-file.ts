import { isIpv6 } from "@talosmith/lib/cidr.ts";
import { parseNetwork } from "@talosmith/lib/ip.ts";
import type { NodeConfig, WireguardConfig, WireguardPeer } from "../../config/config.ts";
import { hostNetwork } from "../config/node/addresses.ts";
import type { SecretsBundle } from "../secrets/bundle.ts";
import { wireguardAddresses } from "./addresses.ts";
import { wireguardKeys } from "./keys.ts";

/** wg-quick names the interface after the file, and a name has at most 15 letters. */
export function peerFileName({ name }: Pick<WireguardPeer, "name">): string {
  return `wg-${name}.conf`;
}

const KEY_LINE = /^[ \t]*PrivateKey[ \t]*=.*$/m;

/** The line with the user's own key, which is kept when the file is rewritten. */
export function keyLineOf(text: string): string | undefined {
  return KEY_LINE.exec(text)?.[0];
}

/** The wg-quick file of one user, who adds the private key: `keyLine`, once it is there. */
export function peerFile(
  wireguard: WireguardConfig,
  { cluster, nodes, secrets }: { cluster: { name: string }; nodes: readonly NodeConfig[]; secrets: SecretsBundle },
  peer: WireguardPeer,
  keyLine: string | undefined,
): string {
  const addresses = wireguardAddresses(wireguard, nodes);
  const { prefix } = parseNetwork(wireguard.cidr) ?? {};
  const lines = [
    `# How ${peer.name} reaches the nodes of ${cluster.name}: wg-quick up ./${peerFileName(peer)}`,
    "[Interface]",
    keyLine ?? `# PrivateKey = (yours, the one that belongs to ${peer.publicKey})`,
    `Address = ${peer.ip}/${prefix}`,
  ];
  for (const { name, ip } of nodes) {
    const host = isIpv6(ip) ? `[${ip}]` : ip;
    lines.push("", "[Peer]", `# ${name}`, `PublicKey = ${wireguardKeys(secrets, name).publicKey}`);
    lines.push(`Endpoint = ${host}:${wireguard.port}`, `AllowedIPs = ${hostNetwork(addresses.get(name) ?? "")}`);
  }
  return `${lines.join("\n")}\n`;
}

import { parseNetwork } from "@talosmith/lib/ip.ts";
import type { NetworkConfig, NodeConfig, WireguardConfig } from "../../config/config.ts";
import type { ConfigDocument } from "../config/document.ts";
import { hostNetwork } from "../config/node/addresses.ts";
import { linkContent } from "../config/node/link-documents.ts";
import { newDocument } from "../config/node/node-input.ts";
import type { SecretsBundle } from "../secrets/bundle.ts";
import { wireguardAddresses } from "./addresses.ts";
import { wireguardKeys } from "./keys.ts";

/** Not a name that KubeSpan or a CNI uses. */
const LINK = "wg0";
const ETHERNET_MTU = 1500;
/** WireGuard's overhead per packet over IPv6, which is larger than over IPv4. */
const OVERHEAD = 80;

/** The WireGuard document of a node: users are its peers, other nodes are not, and traffic between nodes does not use it. */
export function wireguardDocument(
  wireguard: WireguardConfig,
  { network, nodes, secrets }: { network: Pick<NetworkConfig, "mtu">; nodes: readonly NodeConfig[]; secrets: SecretsBundle },
  node: string,
): ConfigDocument {
  const address = wireguardAddresses(wireguard, nodes).get(node);
  const prefix = parseNetwork(wireguard.cidr)?.prefix;
  return newDocument("WireguardConfig", {
    name: LINK,
    privateKey: wireguardKeys(secrets, node).privateKey.reveal(),
    listenPort: wireguard.port,
    // Without an endpoint: a user's address changes.
    peers: wireguard.peers.map(({ publicKey, ip }) => ({ publicKey, allowedIPs: [hostNetwork(ip)] })),
    ...linkContent({
      mtu: (network.mtu ?? ETHERNET_MTU) - OVERHEAD,
      addresses: address === undefined ? [] : [`${address}/${prefix}`],
    }),
  });
}

import type { Facts } from "../checks/facts.ts";
import type { WireguardConfig } from "../config.ts";
import { DEFAULT_WIREGUARD_PORT } from "../defaults.ts";
import { canonical, networkText, sure } from "./values.ts";

export function wireguardOf({ draft: { wireguard } }: Facts): WireguardConfig | undefined {
  if (wireguard === undefined) return undefined;
  return {
    cidr: networkText(sure(wireguard.cidr)),
    port: wireguard.port ?? DEFAULT_WIREGUARD_PORT,
    peers: sure(wireguard.peers).map((peer) => ({
      name: sure(peer?.name),
      publicKey: sure(peer?.publicKey),
      ip: canonical(sure(peer?.ip)),
    })),
  };
}

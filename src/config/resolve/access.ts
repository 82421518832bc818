import type { Facts } from "../checks/facts.ts";
import type { FirewallConfig, WireguardConfig } from "../config.ts";
import { DEFAULT_WIREGUARD_PORT } from "../defaults.ts";
import { portRange } from "../schema/firewall.ts";
import { canonical, defined, networkText, sure } from "./values.ts";

const EVERYWHERE = { 4: "0.0.0.0/0", 6: "::/0" } as const;

export function firewallOf({ draft, families }: Facts): FirewallConfig | undefined {
  const { firewall } = draft;
  if (firewall === undefined || firewall.enabled === false) return undefined;
  const everywhere = families.map((family) => EVERYWHERE[sure(family)]);
  return {
    admin: sure(firewall.admin).map((network) => networkText(sure(network))),
    open: (firewall.open ?? []).map((rule) => {
      const { name, ports, protocol, from, on } = sure(rule);
      return {
        name: sure(name),
        ports: sure(ports).map((port) => portText(sure(port))),
        protocol: protocol ?? "tcp",
        from: from?.map((network) => networkText(sure(network))) ?? everywhere,
        ...defined({ on }),
      };
    }),
  };
}

function portText(written: string | number): string {
  const { from, to } = sure(portRange(written));
  return from === to ? String(from) : `${from}-${to}`;
}

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

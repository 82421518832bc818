import { contains, formatIp, type Network, parseNetwork } from "@talosmith/lib/ip.ts";
import type { BondConfig, NicConfig, NodeConfig } from "../config.ts";
import { listed, type Pool } from "../pools.ts";
import { addressText, canonical, defined, networkText, sure } from "./values.ts";

type Nic = NonNullable<NonNullable<Pool["settings"]["nics"]>[number]>;
type Bond = NonNullable<Pool["settings"]["bond"]>;

/** The network cards of a pool's nodes. */
export function cardsOf({ own, settings }: Pool): Pick<NodeConfig, "mac" | "bond" | "tag" | "nics"> {
  const { bond, nics, vlan } = settings;
  return {
    ...defined({ mac: own.mac?.toUpperCase(), bond: bond && bondOf(bond), tag: vlan }),
    nics: (nics ?? []).map((nic) => nicOf(sure(nic), 0)),
  };
}

/** The cards of one of a pool's nodes, whose addresses count up as the nodes do. Nothing when all nodes have the same. */
export function ownCardsOf({ settings }: Pool, offset: number): Partial<Pick<NodeConfig, "nics">> {
  const nics = (settings.nics ?? []).map(sure);
  const same = offset === 0 || nics.every(({ ip, vlans }) => ip === undefined && (vlans ?? []).every((vlan) => !vlan?.ip));
  return same ? {} : { nics: nics.map((nic) => nicOf(nic, offset)) };
}

/** The address a node's further cards have in a network. */
export function addressIn(network: Network, nics: readonly NicConfig[]): string | undefined {
  const all = nics.flatMap(({ ip, vlans }) => [...ip, ...vlans.flatMap((vlan) => vlan.ip)]);
  const own = all.map((text) => sure(parseNetwork(text)).address).find((address) => contains(network, address));
  return own && formatIp(own);
}

function bondOf({ mode, macs, miimon, lacpRate, xmitHashPolicy }: Bond): BondConfig {
  return {
    mode: sure(mode),
    macs: sure(macs).map((mac) => sure(mac).toUpperCase()),
    ...defined({ miimon, lacpRate, xmitHashPolicy }),
  };
}

function nicOf({ mac, ip, dhcp, mtu, routes, vlans }: Nic, offset: number): NicConfig {
  const addresses = (written: Nic["ip"]) => listed(written).map((text) => addressText(sure(text), offset));
  return {
    ...defined({ mac: mac?.toUpperCase() }),
    ip: addresses(ip),
    dhcp: dhcp ?? false,
    ...defined({ mtu }),
    routes: (routes ?? []).map((route) => ({ to: networkText(sure(route?.to)), via: canonical(sure(route?.via)) })),
    vlans: (vlans ?? []).map((vlan) => ({
      id: sure(vlan?.id),
      ip: addresses(vlan?.ip),
      ...defined({ mtu: vlan?.mtu }),
    })),
  };
}

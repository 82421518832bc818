import type { Facts } from "../checks/facts.ts";
import type { BondConfig, NicConfig, NodeConfig } from "../config.ts";
import { listed, type Pool } from "../pools.ts";
import { addressText, canonical, defined, networkText, sure } from "./values.ts";

type Nic = NonNullable<NonNullable<Pool["settings"]["nics"]>[number]>;
type Bond = NonNullable<Pool["settings"]["bond"]>;

/** The network cards of a pool's nodes. On Proxmox the bridge tags packets, so the node itself has no VLAN. */
export function cardsOf({ draft }: Facts, { own, settings }: Pool): Pick<NodeConfig, "mac" | "bond" | "tag" | "nics"> {
  const { bond, nics, vlan } = settings;
  return {
    ...defined({ mac: own.mac?.toUpperCase(), bond: bond && bondOf(bond) }),
    ...(draft.platform === "metal" && vlan !== undefined && { tag: vlan }),
    nics: (nics ?? []).map((nic) => nicOf(sure(nic))),
  };
}

function bondOf({ mode, macs, miimon, lacpRate, xmitHashPolicy }: Bond): BondConfig {
  return {
    mode: sure(mode),
    macs: sure(macs).map((mac) => sure(mac).toUpperCase()),
    ...defined({ miimon, lacpRate, xmitHashPolicy }),
  };
}

function nicOf({ mac, ip, dhcp, mtu, routes, vlans }: Nic): NicConfig {
  const addresses = (written: Nic["ip"]) => listed(written).map((text) => addressText(sure(text)));
  return {
    mac: sure(mac).toUpperCase(),
    addresses: addresses(ip),
    dhcp: dhcp ?? false,
    ...defined({ mtu }),
    routes: (routes ?? []).map((route) => ({ to: networkText(sure(route?.to)), via: canonical(sure(route?.via)) })),
    vlans: (vlans ?? []).map((vlan) => ({
      id: sure(vlan?.id),
      addresses: addresses(vlan?.ip),
      ...defined({ mtu: vlan?.mtu }),
    })),
  };
}

import type { NicConfig } from "../../../config/config.ts";
import type { ConfigDocument } from "../document.ts";
import { cardDocuments, cardOf, type LinkRoute, vlanDocument } from "./link-documents.ts";
import { newDocument } from "./node-input.ts";

/** Worse than Talos's own 1024, so that the way out through the first card stays the one that is taken. */
const METRIC = 2048;

const EVERYTHING: ReadonlySet<string> = new Set(["0.0.0.0/0", "::/0"]);

/** The documents of an additional card; none when its MAC is not known. `at` counts from 1: the node's first card is 0. */
export function nicDocuments(nic: NicConfig, at: number, mac = nic.mac): ConfigDocument[] {
  if (mac === undefined) return [];
  const name = `net${at}`;
  const metric = METRIC + at;
  const routes = nic.routes.map(({ to, via }): LinkRoute => (EVERYTHING.has(to) ? { via, metric } : { to, via }));
  return [
    ...cardDocuments(name, cardOf(mac), { mtu: nic.mtu, addresses: nic.ip, routes }),
    ...(nic.dhcp ? [newDocument("DHCPv4Config", { name, routeMetric: metric })] : []),
    ...nic.vlans.map(({ id, ip, mtu }) => vlanDocument(name, id, { addresses: ip, mtu })),
  ];
}

/** Whether Kubernetes could choose an address of another network, so that the node's networks must be set explicitly. */
export function hasMoreNetworks(nics: readonly NicConfig[]): boolean {
  return nics.some(({ ip, dhcp, vlans }) => ip.length > 0 || dhcp || vlans.length > 0);
}

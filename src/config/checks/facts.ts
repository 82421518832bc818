import { type Family, type Ip, type Network, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";
import type { Path } from "@talosmith/lib/yaml/tree.ts";
import { listed, type Pool, poolsOf } from "../pools.ts";
import type { Report } from "../report.ts";
import type { Draft } from "../shape.ts";

/** What checks look at. Whatever the file does not say, or says wrongly, is undefined. */
export interface Facts {
  readonly draft: Draft;
  readonly pools: readonly Pool[];
  /** The nodes' networks as written, the preferred one first. */
  readonly networks: readonly (Network | undefined)[];
  readonly gateways: readonly (Ip | undefined)[];
  /** Of the nodes' addresses, in their order. */
  readonly families: readonly (Family | undefined)[];
  readonly hosts: readonly string[] | undefined;
}

export type Check = (facts: Facts, report: Report) => void;

export function factsOf(draft: Draft): Facts {
  const { cidr, gateway } = draft.network ?? {};
  const { host, hosts } = draft.proxmox ?? {};
  const pools = poolsOf(draft);
  const networks = listed(cidr).map((text) => (text === undefined ? undefined : parseNetwork(text)));
  // Rented servers need not be in a network that is known; each says for all of them what they are.
  const rented = draft.platform === "vps" ? pools[0]?.nodes[0]?.addresses : undefined;
  return {
    draft,
    pools,
    networks,
    families: (rented ?? networks).map((one) => one?.family),
    gateways: listed(gateway).map((text) => (text === undefined ? undefined : parseIp(text))),
    hosts: hosts?.filter((name) => name !== undefined) ?? (host === undefined ? undefined : [host]),
  };
}

/** The network an address belongs to by its family. */
export function networkFor({ networks }: Facts, { family }: { family: 4 | 6 }): Network | undefined {
  return networks.find((network) => network?.family === family);
}

export function gatewayFor({ gateways }: Facts, { family }: { family: 4 | 6 }): Ip | undefined {
  return gateways.find((gateway) => gateway?.family === family);
}

/** Whether machines exist already: then nothing that describes one to be made is said of them. */
export function makesNone({ draft: { platform } }: { draft: Draft }): boolean {
  return platform === "metal" || platform === "vps";
}

/** Every place where a setting of nodes can stand. */
export function placesOfSetting({ draft }: { draft: Draft }, key: string): Path[] {
  return [
    ...["all", "controlplane", "worker"].map((group) => ["defaults", group, key]),
    ...(draft.nodes ?? []).map((_, index) => ["nodes", index, key]),
  ];
}

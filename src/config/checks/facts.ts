import { type Family, type Ip, type Network, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";
import type { Path } from "@talosmith/lib/yaml/tree.ts";
import type { Gpu } from "../config.ts";
import type { ConfigPlatform, Platforms } from "../platform.ts";
import { type DraftNode, listed, type Pool, poolsOf } from "../pools.ts";
import type { Report } from "../report.ts";
import type { Draft } from "../shape.ts";

/** The input of checks. Missing and invalid values are undefined. `D` and `N`: with the keys of a platform. */
export interface Facts<D extends Draft = Draft, N extends DraftNode = DraftNode> {
  readonly draft: D;
  readonly platforms: Platforms;
  readonly platform: ConfigPlatform | undefined;
  readonly pools: readonly Pool<N>[];
  /** The nodes' networks as written, the preferred one first. */
  readonly networks: readonly (Network | undefined)[];
  readonly gateways: readonly (Ip | undefined)[];
  /** The families of the nodes' addresses, in their order. */
  readonly families: readonly (Family | undefined)[];
}

export type Check = (facts: Facts, report: Report) => void;

export function factsOf(draft: Draft, platforms: Platforms): Facts {
  const { cidr, gateway } = draft.network ?? {};
  const platform = platforms.available.find(({ name }) => name === draft.platform);
  const pools = poolsOf(draft);
  const networks = listed(cidr).map((text) => (text === undefined ? undefined : parseNetwork(text)));
  // The first node says for all of them what they are, where they need not be in a network that is known.
  const addresses = isAtProvider({ platform }) ? pools[0]?.nodes[0]?.addresses : undefined;
  return {
    draft,
    platforms,
    platform,
    pools,
    networks,
    families: (addresses ?? networks).map((one) => one?.family),
    gateways: listed(gateway).map((text) => (text === undefined ? undefined : parseIp(text))),
  };
}

/** The network an address belongs to by its family. */
export function networkFor({ networks }: Facts, { family }: { family: 4 | 6 }): Network | undefined {
  return networks.find((network) => network?.family === family);
}

export function gatewayFor({ gateways }: Facts, { family }: { family: 4 | 6 }): Ip | undefined {
  return gateways.find((gateway) => gateway?.family === family);
}

/** Whether the nodes are in networks of a provider, on the Internet. */
export function isAtProvider({ platform }: Pick<Facts, "platform">): boolean {
  return platform?.network === "provider";
}

/** The GPUs among a pool's passed-through devices. */
export function givenGpus({ platform }: Facts, pool: Pool): readonly { readonly path: Path; readonly gpu: Gpu }[] {
  return platform?.machines.kind === "made" ? platform.machines.gpus(pool) : [];
}

/** The driver of a pool's GPUs: set on the nodes or on a passed-through device. */
export function gpuOf(facts: Facts, pool: Pool): Gpu | undefined {
  return pool.settings.gpu ?? givenGpus(facts, pool)[0]?.gpu;
}

/** All possible paths of a setting of nodes. */
export function placesOfSetting({ draft }: { draft: Draft }, key: string): Path[] {
  return [
    ...["all", "controlplane", "worker"].map((group) => ["defaults", group, key]),
    ...(draft.nodes ?? []).map((_, index) => ["nodes", index, key]),
  ];
}

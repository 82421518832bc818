import type { Network } from "@talosmith/lib/ip.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { AddonsConfig, VerifyConfig } from "../addons-config.ts";
import type { Facts } from "../checks/facts.ts";
import type { Config, ImageConfig, MaintenanceConfig, NodeConfig } from "../config.ts";
import * as defaults from "../defaults.ts";
import { privateNetwork } from "../node-networks.ts";
import type { Patches } from "../patches/read-patches.ts";
import type { Finished } from "../platform.ts";
import type { Pool } from "../pools.ts";
import { firewallOf, wireguardOf } from "./access.ts";
import type { MadeAddon } from "./addons/make.ts";
import { clusterWithWishes, nodeWithWishes } from "./addons/wishes.ts";
import { addressIn, ownCardsOf } from "./cards.ts";
import { clusterOf } from "./cluster.ts";
import { networkOf } from "./network.ts";
import { commonOf, ownOf } from "./node.ts";
import { registriesOf } from "./registries.ts";
import { bare, defined, sure } from "./values.ts";

/** Everything that was read beside the config. */
export interface Brought {
  /** The platform's own part. */
  finish: ((redactor: Redactor) => Finished) | undefined;
  /** To reach the nodes with. */
  sshKey: string | undefined;
  patches: Patches;
  authorities: ReadonlyMap<string, string>;
  addons: readonly MadeAddon[];
}

/** Fills in every default and unrolls every pool. Only for files without problems. */
export function resolve(facts: Facts, brought: Brought, redactor: Redactor): Config {
  const wishes = brought.addons.map(({ machines }) => machines);
  const cluster = clusterWithWishes(clusterOf(facts), wishes);
  const own = brought.finish?.(redactor) ?? {};
  const between = privateNetwork(facts);
  return deepFreeze<Config>({
    platform: sure(facts.platform).name,
    cluster,
    image: { ...imageOf(facts), ...own.image },
    addons: addonsOf(facts, brought.addons),
    maintenance: maintenanceOf(facts),
    backup: { recipients: (facts.draft.backup?.recipients ?? []).flatMap((one) => one ?? []) },
    verify: verifyOf(facts),
    registries: registriesOf(facts, brought.authorities, redactor),
    ...defined({ firewall: firewallOf(facts), wireguard: wireguardOf(facts) }),
    network: networkOf(facts, brought.sshKey, redactor),
    ...own.sections,
    nodes: facts.pools.flatMap((pool) => {
      const common = nodeWithWishes(commonOf(facts, pool, brought.patches, redactor), wishes, cluster);
      return nodesOf(pool, common, between, own);
    }),
  });
}

function nodesOf(
  pool: Pool,
  common: Omit<NodeConfig, "name" | "ip" | "secondIp">,
  between: Network | undefined,
  own: Finished,
): NodeConfig[] {
  const finished = own.pool?.(pool);
  return pool.nodes.map((node, offset) => {
    const { nics } = { nics: common.nics, ...ownCardsOf(pool, offset) };
    const privateIp = between && addressIn(between, nics);
    const made = { ...ownOf(node), ...common, nics, ...defined({ privateIp }) };
    return finished === undefined ? made : finished(made, node, offset);
  });
}

function imageOf({ draft: { image }, platform }: Facts): ImageConfig {
  return {
    talosPlatform: sure(platform).talosPlatform,
    factory: bare(image?.factory ?? defaults.DEFAULT_FACTORY),
    arch: image?.arch ?? "amd64",
    secureboot: image?.secureboot ?? false,
  };
}

function addonsOf({ draft: { addons } }: Facts, made: readonly MadeAddon[]): AddonsConfig {
  return { helmImage: addons?.helmImage ?? defaults.DEFAULT_HELM_IMAGE, all: made.map(({ config }) => config) };
}

function maintenanceOf({ draft: { maintenance }, pools }: Facts): MaintenanceConfig {
  const { workers } = { ...defaults.DEFAULT_MAINTENANCE, ...defined(maintenance ?? {}) };
  if (typeof workers === "number") return { workers };
  const all = pools.filter(({ role }) => role === "worker").flatMap(({ nodes }) => nodes).length;
  return { workers: Math.max(1, Math.floor((all * Number.parseInt(workers, 10)) / 100)) };
}

function verifyOf({ draft: { verify } }: Facts): VerifyConfig {
  return { ...defaults.DEFAULT_VERIFY, ...defined(verify ?? {}) };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value))
    for (const inner of Object.values(Object.freeze(value))) deepFreeze(inner);
  return value;
}

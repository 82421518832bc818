import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Trust } from "@talosmith/lib/world/world.ts";
import type { AddonsConfig, VerifyConfig } from "../addons-config.ts";
import type { Facts } from "../checks/facts.ts";
import type { Config, ImageConfig, MaintenanceConfig } from "../config.ts";
import * as defaults from "../defaults.ts";
import { privateNetwork } from "../node-networks.ts";
import type { Patches } from "../patches/read-patches.ts";
import type { SshKeys } from "../ssh-key.ts";
import type { MadeAddon } from "./addons/make.ts";
import { clusterWithWishes, nodeWithWishes } from "./addons/wishes.ts";
import { addressIn, ownCardsOf } from "./cards.ts";
import { clusterOf } from "./cluster.ts";
import { firewallOf } from "./firewall.ts";
import { machineOf } from "./machine.ts";
import { networkOf, networkOfServers } from "./network.ts";
import { commonOf, ownOf } from "./node.ts";
import { proxmoxOf } from "./proxmox.ts";
import { registriesOf } from "./registries.ts";
import { bare, defined, sure } from "./values.ts";
import { serverOf, vpsOf } from "./vps.ts";
import { wireguardOf } from "./wireguard.ts";

/** What was read beside the config. */
export interface Brought {
  trust: Trust | undefined;
  sshKeys: SshKeys;
  patches: Patches;
  authorities: ReadonlyMap<string, string>;
  addons: readonly MadeAddon[];
}

/** Fills in every default and unrolls every pool. Only for files without problems. */
export function resolve(facts: Facts, brought: Brought, redactor: Redactor): Config {
  const wishes = brought.addons.map(({ machines }) => machines);
  const cluster = clusterWithWishes(clusterOf(facts), wishes);
  const anywhere = {
    cluster,
    image: imageOf(facts),
    addons: addonsOf(facts, brought.addons),
    maintenance: maintenanceOf(facts),
    backup: { recipients: (facts.draft.backup?.recipients ?? []).flatMap((one) => one ?? []) },
    verify: verifyOf(facts),
    registries: registriesOf(facts, brought.authorities, redactor),
    ...defined({ firewall: firewallOf(facts), wireguard: wireguardOf(facts) }),
  };
  const pools = facts.pools.map((pool) => ({
    pool,
    common: nodeWithWishes(commonOf(facts, pool, brought.patches, redactor), wishes, cluster),
  }));
  if (facts.draft.platform === "vps") {
    const between = privateNetwork(facts);
    const nodes = pools.flatMap(({ pool, common }) =>
      pool.nodes.map((node, offset) => {
        const cards = { nics: common.nics, ...ownCardsOf(pool, offset) };
        return {
          ...ownOf(node),
          ...common,
          ...cards,
          ...defined({ privateIp: between && addressIn(between, cards.nics) }),
          ...serverOf(facts, pool, node, brought.sshKeys.rescue, redactor),
        };
      }),
    );
    const network = networkOfServers(facts, brought.sshKeys.network, redactor);
    return deepFreeze<Config>({ platform: "vps", ...anywhere, network, vps: vpsOf(facts, redactor), nodes });
  }
  const network = networkOf(facts, brought.sshKeys.network, redactor);
  if (facts.draft.platform === "metal") {
    const nodes = pools.flatMap(({ pool, common }) =>
      pool.nodes.map((node, offset) => ({ ...ownOf(node), ...common, ...ownCardsOf(pool, offset) })),
    );
    return deepFreeze<Config>({ platform: "metal", ...anywhere, network, nodes });
  }
  const proxmox = proxmoxOf(facts, sure(brought.trust), brought.sshKeys.proxmox, redactor);
  const nodes = pools.flatMap(({ pool, common }) => {
    const machine = machineOf(facts, pool);
    return pool.nodes.map((node, offset) => ({
      ...ownOf(node),
      ...common,
      ...machine,
      ...ownCardsOf(pool, offset),
      ...defined({ vmid: node.vmid }),
    }));
  });
  return deepFreeze<Config>({ platform: "proxmox", ...anywhere, network, proxmox, nodes });
}

function imageOf({ draft: { image, platform } }: Facts): ImageConfig {
  return {
    talosPlatform: platform === "proxmox" ? "nocloud" : "metal",
    method: image?.method ?? "import",
    clone: image?.clone ?? "full",
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

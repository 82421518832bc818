import type { Json } from "../../lib/json.ts";
import type { Redactor } from "../../lib/secret.ts";
import type { Trust } from "../../lib/world/world.ts";
import type { Facts } from "../checks/facts.ts";
import type { AddonsConfig, Config, ImageConfig } from "../config.ts";
import * as defaults from "../defaults.ts";
import type { Patches } from "../patches/read-patches.ts";
import { clusterOf } from "./cluster.ts";
import { firewallOf } from "./firewall.ts";
import { networkOf } from "./network.ts";
import { commonOf, ownOf } from "./node.ts";
import { machineOf, proxmoxOf } from "./proxmox.ts";
import { registriesOf } from "./registries.ts";
import { bare, defined, sure } from "./values.ts";

/** What was read beside the config. */
export interface Brought {
  trust: Trust | undefined;
  sshKey: string | undefined;
  patches: Patches;
  authorities: ReadonlyMap<string, string>;
}

/** Fills in every default and unrolls every pool. Only for files without problems. */
export function resolve(facts: Facts, brought: Brought, redactor: Redactor): Config {
  const anywhere = {
    cluster: clusterOf(facts),
    network: networkOf(facts, brought.sshKey, redactor),
    image: imageOf(facts),
    addons: addonsOf(facts),
    registries: registriesOf(facts, brought.authorities, redactor),
    ...defined({ firewall: firewallOf(facts) }),
  };
  const pools = facts.pools.map((pool) => ({ pool, common: commonOf(facts, pool, brought.patches, redactor) }));
  if (facts.draft.platform === "metal") {
    const nodes = pools.flatMap(({ pool, common }) => pool.nodes.map((node) => ({ ...ownOf(node), ...common })));
    return deepFreeze<Config>({ platform: "metal", ...anywhere, nodes });
  }
  const proxmox = proxmoxOf(facts, sure(brought.trust), redactor);
  const nodes = pools.flatMap(({ pool, common }) =>
    pool.nodes.map((node) => ({ ...ownOf(node), ...common, ...machineOf(facts, pool, node) })),
  );
  return deepFreeze<Config>({ platform: "proxmox", ...anywhere, proxmox, nodes });
}

function imageOf({ draft: { image } }: Facts): ImageConfig {
  return {
    method: image?.method ?? "import",
    factory: bare(image?.factory ?? defaults.DEFAULT_FACTORY),
    arch: image?.arch ?? "amd64",
    secureboot: image?.secureboot ?? false,
  };
}

function addonsOf({ draft: { addons, cluster } }: Facts): AddonsConfig {
  const helmImage = addons?.helmImage ?? defaults.DEFAULT_HELM_IMAGE;
  if (cluster?.cni !== "cilium") return { helmImage };
  const { version, repository, values } = addons?.cilium ?? {};
  return {
    cilium: {
      version: version ?? defaults.DEFAULT_CILIUM.version,
      repository: bare(repository ?? defaults.DEFAULT_CILIUM.repository),
      values: (values ?? {}) as { [key: string]: Json },
    },
    helmImage,
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value))
    for (const inner of Object.values(Object.freeze(value))) deepFreeze(inner);
  return value;
}

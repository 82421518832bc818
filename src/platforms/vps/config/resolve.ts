import { formatIp } from "@talosmith/lib/ip.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import { pathName } from "@talosmith/lib/yaml/tree.ts";
import { type Facts, gatewayFor } from "../../../config/checks/facts.ts";
import type { NodeImageConfig } from "../../../config/config.ts";
import { DEFAULT_SSH } from "../../../config/defaults.ts";
import { hostKeyFingerprint } from "../../../config/host-key.ts";
import { prefixOf } from "../../../config/node-networks.ts";
import type { Finished } from "../../../config/platform.ts";
import type { PoolNode } from "../../../config/pools.ts";
import type { Reading } from "../../../config/reading.ts";
import { bare, canonical, defined, sure } from "../../../config/resolve/values.ts";
import { sshKeyAt } from "../../../config/ssh-key.ts";
import type { ProviderConfig, RescueLogin, VpsConfig, VpsNodeConfig } from "./config-on-vps.ts";
import { onVps, type VpsFacts, type VpsPool, vpsPool } from "./draft.ts";
import { loginOf } from "./rescue-login.ts";
import { FIRST } from "./schema/rescue.ts";

const DEFAULT_HETZNER = "https://api.hetzner.cloud/v1";

export function read(facts: Facts, reading: Reading): (redactor: Redactor) => Finished {
  const own = onVps(facts);
  const keys = rescueKeys(own, reading);
  return (redactor) => ({
    sections: { vps: vpsOf(own, redactor) },
    pool: (pool) => (node, of) => ({
      ...node,
      image: withConfigOnDisk(node.image),
      ...serverOf(own, vpsPool(pool), of, keys, redactor),
    }),
  });
}

/** Every key to a rescue system, by where it is written. */
function rescueKeys({ draft, pools }: VpsFacts, reading: Reading): ReadonlyMap<string, string> {
  const { vps } = draft;
  const written = [
    { path: ["vps", "ssh", "key"], key: vps?.ssh?.key },
    ...pools.flatMap((pool) => pool.everywhere("ssh").map(({ path, value }) => ({ path: [...path, "key"], key: value.key }))),
  ];
  const once = new Map(written.map(({ path, key }) => [pathName(path), { path, key }]));
  return new Map(
    [...once].flatMap(([name, { path, key }]) => {
      const text = sshKeyAt(key, path, reading);
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
}

/** Talos then looks for its config on a volume of this name, wherever it is: on the disk that was written. */
const CONFIG_ON_DISK = "talos.config=metal-iso";

function withConfigOnDisk(image: NodeImageConfig): NodeImageConfig {
  const said = image.schematic !== undefined || image.kernelArgs.some((arg) => /^-?talos\.config(=|$)/.test(arg));
  return said ? image : { ...image, kernelArgs: [...image.kernelArgs, CONFIG_ON_DISK] };
}

function vpsOf({ draft: { vps } }: VpsFacts, redactor: Redactor): VpsConfig {
  const { provider } = vps ?? {};
  return provider === undefined ? {} : { provider: providerOf(provider, redactor) };
}

type WrittenProvider = NonNullable<NonNullable<VpsFacts["draft"]["vps"]>["provider"]>;

function providerOf(written: WrittenProvider, redactor: Redactor): ProviderConfig {
  const { name, token, url } = typeof written === "string" ? { name: written } : written;
  return {
    name: sure(name),
    ...(token !== undefined && { token: redactor.secret(token) }),
    url: bare(url ?? (name === "hetzner" ? DEFAULT_HETZNER : "")),
  };
}

type Server = Pick<VpsNodeConfig, "ssh" | "prefix" | "gateway" | "onlyCard" | "arch" | "eraseMembers" | "server">;

/** The server of one of a pool's nodes. */
function serverOf(facts: VpsFacts, pool: VpsPool, node: PoolNode, keys: ReadonlyMap<string, string>, redactor: Redactor): Server {
  const { dhcp, gateway, bond, eraseMembers } = pool.settings;
  const address = sure(node.addresses[0]);
  const common = gatewayFor(facts, address);
  const via = gateway === undefined ? common && formatIp(common) : canonical(gateway);
  return {
    // Only a node with DHCP may lack a prefix, and DHCP provides it: the default is a placeholder.
    prefix: prefixOf(facts, node, 0) ?? (address.family === 4 ? 32 : 128),
    ...(dhcp !== true && { gateway: sure(via) }),
    ...(dhcp !== true && pool.own.mac === undefined && bond === undefined && { onlyCard: true as const }),
    ssh: rescueOf(facts, pool, node, keys, redactor),
    ...defined({ arch: facts.draft.image?.arch, server: pool.own.server }),
    eraseMembers: eraseMembers ?? false,
  };
}

function rescueOf(
  { draft }: VpsFacts,
  pool: VpsPool,
  node: PoolNode,
  keys: ReadonlyMap<string, string>,
  redactor: Redactor,
): RescueLogin {
  const { host, port, user, hostKey, keyAt } = loginOf(draft, pool);
  const key = keyAt === undefined ? undefined : keys.get(keyAt);
  return {
    host: canonical(host ?? formatIp(sure(node.addresses[0]))),
    port: port ?? DEFAULT_SSH.port,
    user: user ?? DEFAULT_SSH.user,
    ...(key !== undefined && { key: redactor.secret(key) }),
    ...(hostKey !== undefined && hostKey !== FIRST && { hostKey: sure(hostKeyFingerprint(hostKey)) }),
    firstKey: hostKey === FIRST,
  };
}

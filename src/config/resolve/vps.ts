import { formatIp } from "@talosmith/lib/ip.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import { type Facts, gatewayFor } from "../checks/facts.ts";
import type { ProviderConfig, RescueLogin, VpsConfig, VpsNodeConfig } from "../config.ts";
import { DEFAULT_HETZNER, DEFAULT_SSH } from "../defaults.ts";
import { hostKeyFingerprint } from "../host-key.ts";
import { prefixOf } from "../node-networks.ts";
import type { Pool, PoolNode } from "../pools.ts";
import { loginOf } from "../rescue-login.ts";
import { FIRST } from "../schema/ssh.ts";
import { diskOf } from "./disks.ts";
import { bare, canonical, defined, sure } from "./values.ts";

export function vpsOf({ draft: { vps } }: Facts, redactor: Redactor): VpsConfig {
  const { provider } = vps ?? {};
  return provider === undefined ? {} : { provider: providerOf(provider, redactor) };
}

type WrittenProvider = NonNullable<NonNullable<Facts["draft"]["vps"]>["provider"]>;

function providerOf(written: WrittenProvider, redactor: Redactor): ProviderConfig {
  const { name, token, url } = typeof written === "string" ? { name: written } : written;
  return {
    name: sure(name),
    ...(token !== undefined && { token: redactor.secret(token) }),
    url: bare(url ?? (name === "hetzner" ? DEFAULT_HETZNER : "")),
  };
}

type Server = Pick<VpsNodeConfig, "ssh" | "prefix" | "gateway" | "onlyCard" | "target" | "arch" | "eraseMembers" | "server">;

/** The server that one of a pool's nodes is. */
export function serverOf(
  facts: Facts,
  pool: Pool,
  node: PoolNode,
  keys: ReadonlyMap<string, string>,
  redactor: Redactor,
): Server {
  const { dhcp, gateway, bond, installDisk, eraseMembers } = pool.settings;
  const address = sure(node.addresses[0]);
  const common = gatewayFor(facts, address);
  const via = gateway === undefined ? common && formatIp(common) : canonical(gateway);
  return {
    // Of a node that its network tells, nobody asks.
    prefix: prefixOf(facts, node, 0) ?? (address.family === 4 ? 32 : 128),
    ...(dhcp !== true && { gateway: sure(via) }),
    ...(dhcp !== true && pool.own.mac === undefined && bond === undefined && { onlyCard: true as const }),
    ssh: rescueOf(facts, pool, node, keys, redactor),
    ...(installDisk !== undefined && { target: diskOf(installDisk) }),
    ...defined({ arch: facts.draft.image?.arch, server: pool.own.server }),
    eraseMembers: eraseMembers ?? false,
  };
}

function rescueOf(
  { draft }: Facts,
  pool: Pool,
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

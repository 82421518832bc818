import { formatIp } from "../../lib/ip.ts";
import type { Redactor } from "../../lib/secret.ts";
import { type Facts, gatewayFor } from "../checks/facts.ts";
import type { NetworkConfig, SshConfig } from "../config.ts";
import * as defaults from "../defaults.ts";
import { hostKeyFingerprint } from "../host-key.ts";
import { canonical, defined, sure } from "./values.ts";

export function networkOf(facts: Facts, sshKey: string | undefined, redactor: Redactor): NetworkConfig {
  const { draft } = facts;
  const network = sure(draft.network);
  const first = sure(facts.networks[0]);
  const gateway = formatIp(sure(gatewayFor(facts, first)));
  const { proxy } = network;
  return {
    cidr: first.text,
    prefix: first.prefix,
    gateway,
    nameservers: network.nameservers?.map((server) => canonical(sure(server))) ?? [gateway],
    ...(network.via === "ssh" ? { via: "ssh", ssh: sshOf(draft, sshKey, redactor) } : { via: "direct" }),
    ...secondOf(facts),
    timeServers: network.timeServers?.map((server) => canonical(sure(server))) ?? [],
    ...defined({ mtu: network.mtu }),
    ...(proxy !== undefined && {
      proxy: { ...defined({ http: proxy.http, https: proxy.https }), except: proxy.except?.map(sure) ?? [] },
    }),
  };
}

function secondOf(facts: Facts): Pick<NetworkConfig, "second"> {
  const network = facts.networks[1];
  if (network === undefined) return {};
  const gateway = gatewayFor(facts, network);
  return {
    second: { cidr: network.text, prefix: network.prefix, ...(gateway !== undefined && { gateway: formatIp(gateway) }) },
  };
}

function sshOf({ network, proxmox }: Facts["draft"], key: string | undefined, redactor: Redactor): SshConfig {
  const { host, port, user, hostKey } = network?.ssh ?? {};
  return {
    // An IPv6 address stands in brackets there.
    host: canonical(host ?? new URL(sure(proxmox?.url)).hostname.replaceAll(/[[\]]/g, "")),
    port: port ?? defaults.DEFAULT_SSH.port,
    user: user ?? defaults.DEFAULT_SSH.user,
    ...(key !== undefined && { key: redactor.secret(key) }),
    ...(hostKey !== undefined && { hostKey: sure(hostKeyFingerprint(hostKey)) }),
  };
}

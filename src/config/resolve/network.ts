import { formatIp } from "../../lib/ip.ts";
import type { Redactor } from "../../lib/secret.ts";
import { type Facts, gatewayFor } from "../checks/facts.ts";
import type { NetworkConfig } from "../config.ts";
import { sshOf } from "./ssh.ts";
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
    ...(network.via === "ssh"
      ? { via: "ssh", ssh: sshOf(network.ssh, draft.proxmox?.url, sshKey, redactor) }
      : { via: "direct" }),
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

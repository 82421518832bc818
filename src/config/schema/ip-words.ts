import { formatIp, type Network, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";
import type { Wrong } from "./value.ts";

/** Checks of addresses, networks and host names. */

export function ip(value: string): Wrong | undefined {
  const parsed = parseIp(value);
  if (parsed !== undefined) return undefined;
  const network = parseNetwork(value);
  if (network !== undefined)
    return { says: "must be an address without a prefix length", hint: `write ${formatIp(network.address)}` };
  const zone = parseIp(value.replace(/%.*$/s, "").replaceAll(/[[\]]/g, ""));
  if (zone !== undefined) return { says: "must be only an address", hint: `write ${formatIp(zone)}` };
  return { says: "is not an IP address", hint: "write one such as 10.10.0.11 or fd00:10::11" };
}

/** Checks a node's address, with or without a prefix length; whether one is allowed depends on the platform (../needs.ts). */
export function nodeAddress(value: string): Wrong | undefined {
  return parseNetwork(value) === undefined ? ip(value) : undefined;
}

/** Checks a network for nodes. */
export function cidr(value: string): Wrong | undefined {
  const wrong = network(value);
  const parsed = wrong === undefined ? parseNetwork(value) : undefined;
  if (parsed === undefined) return wrong;
  const [least, most, such] = parsed.family === 4 ? [8, 30, "10.10.0.0/24"] : [16, 126, "fd00:10::/64"];
  if (parsed.prefix < least || parsed.prefix > most)
    return { says: `has a prefix length outside ${least} to ${most}`, hint: `write a network such as ${such}` };
  if (isLinkLocal(parsed))
    return { says: "is a link-local or multicast network, which nodes cannot use", hint: `write a network such as ${such}` };
  return undefined;
}

/** Whether a network is link-local (fe80::/10) or multicast (ff00::/8). */
function isLinkLocal({ family, first }: Network): boolean {
  return family === 6 && (first >> 118n === 0x3fan || first >> 120n === 0xffn);
}

/** Checks a network of any size, written with its network address. */
export function network(value: string): Wrong | undefined {
  const parsed = parseNetwork(value);
  if (parsed === undefined) {
    const address = parseIp(value);
    if (address !== undefined)
      return {
        says: "has no prefix length",
        hint: `write ${formatIp(address)}/${address.family === 4 ? 32 : 128} for this address alone`,
      };
    return {
      says: "is not a network",
      hint: "write the network's address and its prefix length, such as 10.10.0.0/24 or fd00:10::/64",
    };
  }
  if (parsed.address.value !== parsed.first)
    return { says: "is an address inside the network, not the network", hint: `write ${parsed.text}` };
  return undefined;
}

/** Checks an address with the prefix length of its network. */
export function addressWithPrefix(value: string): Wrong | undefined {
  const parsed = parseNetwork(value);
  if (parsed === undefined) {
    const address = parseIp(value);
    const better = address === undefined ? "10.20.0.11/24" : `${formatIp(address)}/${address.family === 4 ? 24 : 64}`;
    return { says: "is not an address with a prefix length", hint: `write one such as ${better}` };
  }
  return parsed.address.value === 0n
    ? { says: "is not an address a machine can have", hint: "write one such as 10.20.0.11/24" }
    : undefined;
}

const LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
const DNS_NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(\\.${LABEL})*$`, "i");

export function isDnsName(text: string): boolean {
  return DNS_NAME.test(text) && !/^[\d.]+$/.test(text);
}

function isHost(text: string): boolean {
  return parseIp(text) !== undefined || isDnsName(text);
}

export function addressOrName(value: string): Wrong | undefined {
  if (isHost(value)) return undefined;
  const bare = value.replace(/^[a-z]+:\/\//i, "").replace(/[/].*$/, "");
  const host = /^\[([^\]]*)\](:\d+)?$/.exec(bare)?.[1] ?? bare.replace(/:\d+$/, "");
  if (isHost(host)) return { says: "must be only an address or a name", hint: `write ${host}: the port is always 6443` };
  return {
    says: "is neither an IP address nor a DNS name",
    hint: "write an address such as 10.10.0.5 or a name such as k8s.home.arpa",
  };
}

/** Checks a host to log in to, without user and port. */
export function hostAlone(value: string): Wrong | undefined {
  if (isHost(value)) return undefined;
  return {
    says: "is not an address or a host name",
    hint: "write only the host, such as 192.168.122.70; user and port have their own keys",
  };
}

/** Checks a name or address for a certificate. */
export function certificateName(value: string): Wrong | undefined {
  if (isHost(value.replace(/^\*\./, ""))) return undefined;
  return { says: "is neither an IP address nor a DNS name", hint: "write one such as 10.10.0.5, k8s.home.arpa or *.home.arpa" };
}

/** Checks a time server; Talos also accepts a hypervisor's PTP clock device. */
export function timeServer(value: string): Wrong | undefined {
  if (isHost(value) || /^\/dev\/ptp[\w-]{0,32}$/.test(value)) return undefined;
  return {
    says: "is not a time server",
    hint: "write a name or address such as time.cloudflare.com, or a clock device such as /dev/ptp0",
  };
}

/** Checks a cluster's DNS domain; Kubernetes accepts only lower case. */
export function domain(value: string): Wrong | undefined {
  if (isDnsName(value) && value === value.toLowerCase()) return undefined;
  return { says: "is not a DNS domain", hint: "write it in lower case and without a trailing dot, such as cluster.local" };
}

/** Checks a proxy exception: a name, a domain suffix, an address, a network, or * for all. */
export function proxyException(value: string): Wrong | undefined {
  const bare = value.replace(/^\*?\./, "").replace(/:\d+$/, "");
  if (value === "*" || isHost(value) || isHost(bare) || parseNetwork(value) !== undefined) return undefined;
  return {
    says: "is not a name, an address or a network",
    hint: "write one such as registry.home.arpa, .home.arpa or 10.0.0.0/8",
  };
}

import { formatIp, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";
import { jsonOf, linesOf, type Sections } from "./sections.ts";

/** Parses `ip` output as JSON or text, since busybox has no JSON. */

export interface Address {
  readonly card: string;
  /** With its prefix length. */
  readonly text: string;
  /** It expires: leased by DHCP, or derived from a router advertisement. */
  readonly dynamic: boolean;
}

export interface DefaultRoute {
  readonly card: string;
  readonly gateway?: string;
  readonly byDhcp: boolean;
}

/** Addresses that other machines can reach: no loopback and no link-local ones. */
export function addressesOf(lines: readonly string[]): readonly Address[] {
  const json = jsonOf(lines);
  return json === undefined ? lines.flatMap(addressOfLine) : list(json).flatMap(addressesOfLink);
}

function addressesOfLink(link: unknown): Address[] {
  const card = text(link, "ifname");
  return list(field(link, "addr_info")).flatMap((info) => {
    const written = `${text(info, "local")}/${field(info, "prefixlen")}`;
    const scope = text(info, "scope");
    if (card === undefined || scope === "host" || scope === "link" || parseNetwork(written) === undefined) return [];
    return [{ card, text: written, dynamic: field(info, "dynamic") === true }];
  });
}

/** "2: eth0    inet 10.0.0.2/24 brd 10.0.0.255 scope global dynamic eth0\       valid_lft …" */
function addressOfLine(line: string): Address[] {
  const [, card = "", written = "", rest = ""] = /^\d+:\s+([^\s@:]+)\S*\s+inet6?\s+(\S+)(.*)$/.exec(line) ?? [];
  const full = written.includes("/") || written === "" ? written : `${written}/${written.includes(":") ? 128 : 32}`;
  if (parseNetwork(full) === undefined || /\bscope (host|link)\b/.test(rest)) return [];
  return [{ card, text: full, dynamic: /\bdynamic\b/.test(rest) }];
}

/** IPv4's before IPv6's; of one family the smallest metric first. */
export function defaultRoutesOf(sections: Sections): readonly DefaultRoute[] {
  const four = routesOf(linesOf(sections, "routes"));
  return [...(four.length > 0 ? four : fromProc(linesOf(sections, "procroute"))), ...routesOf(linesOf(sections, "routes6"))];
}

function routesOf(lines: readonly string[]): DefaultRoute[] {
  const json = jsonOf(lines);
  const routes = json === undefined ? lines.flatMap(routeOfLine) : list(json).flatMap(routeOfJson);
  return routes.sort((a, b) => a.metric - b.metric).map(({ metric: _, ...route }) => route);
}

type Metred = DefaultRoute & { metric: number };

function routeOfJson(route: unknown): Metred[] {
  const card = text(route, "dev") ?? text(list(field(route, "nexthops"))[0], "dev");
  if (text(route, "dst") !== "default" || card === undefined) return [];
  const via = text(route, "gateway") ?? text(field(route, "via"), "host") ?? text(list(field(route, "nexthops"))[0], "gateway");
  return [
    { card, ...gatewayOf(via), byDhcp: text(route, "protocol") === "dhcp", metric: Number(field(route, "metric") ?? 0) || 0 },
  ];
}

/** "default via 172.31.1.1 dev eth0 proto dhcp src 10.0.0.2 metric 100 onlink" */
function routeOfLine(line: string): Metred[] {
  const after = (word: string) => new RegExp(`\\s${word}\\s+(\\S+)`).exec(line)?.[1];
  const card = after("dev");
  if (!/^\s*default\b/.test(line) || card === undefined) return [];
  return [{ card, ...gatewayOf(after("via")), byDhcp: after("proto") === "dhcp", metric: Number(after("metric") ?? 0) || 0 }];
}

/** /proc/net/route: addresses are numbers of the machine's own byte order, which is little-endian wherever Talos runs. */
function fromProc(lines: readonly string[]): DefaultRoute[] {
  return lines.flatMap((line) => {
    const [card = "", destination, gateway = ""] = line.trim().split(/\s+/);
    if (destination !== "00000000" || !/^[0-9A-F]{8}$/i.test(gateway)) return [];
    const address = formatIp({ family: 4, value: BigInt(Buffer.from(gateway, "hex").readUInt32LE()) });
    return [{ card, ...(address !== "0.0.0.0" && { gateway: address }), byDhcp: false }];
  });
}

function gatewayOf(via: string | undefined): { gateway?: string } {
  return via !== undefined && parseIp(via) !== undefined ? { gateway: via } : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function text(value: unknown, key: string): string | undefined {
  const found = field(value, key);
  return typeof found === "string" ? found : undefined;
}

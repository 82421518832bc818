import { celProblem } from "../cel/check.ts";
import { ENVIRONMENTS } from "../cel/environments.ts";
import { atLeast, minorOf } from "../versions.ts";
import { addressProblem, prefixProblem } from "./go-netip.ts";
import { base64Problem } from "./go-text.ts";
import { type DocumentRule, rule } from "./rules.ts";
import { isSubnet } from "./validate-cluster.ts";
import { at, type Fields, filled, list, quoted, someSet, word } from "./values.ts";

const UNSPECIFIED = /^(0\.0\.0\.0|::|0:0:0:0:0:0:0:0)$/;

/** Checks addresses and routes, which all kinds of links have. */
function linkProblems(fields: Fields): string[] {
  const addresses = list(fields.addresses).flatMap((one, index) => {
    const address = word(at(one, "address"));
    if (address === "") return [`address ${index} must be specified`];
    return UNSPECIFIED.test(address.split("/")[0] ?? "") ? [`address ${index} must be a valid IP address`] : [];
  });
  const routes = list(fields.routes).flatMap((route, index) =>
    (["destination", "gateway", "source"] as const).flatMap((key) => {
      const given = word(at(route, key));
      if (given === "" || !UNSPECIFIED.test(given.split("/")[0] ?? "")) return [];
      return [`route ${index} ${key} must be a valid IP ${key === "destination" ? "prefix" : "address"}`];
    }),
  );
  return [...addresses, ...routes];
}

const unnamed = (name: string) => (name === "" ? ["name must be specified"] : []);

function vipNameProblems(name: string): string[] {
  if (name === "") return ["name must be specified"];
  const problem = addressProblem(name);
  return problem === undefined ? [] : [`name must be a valid IP address: ${problem}`];
}

function vethNameProblems(field: string, name: string): string[] {
  if (name === "") return [`${field} must be specified`];
  if (Buffer.byteLength(name) > 15) return [`${field} must not exceed 15 bytes`];
  if (name === "." || name === "..") return [`${field} must not be ${quoted(name)}`];
  if (/[/:]/.test(name)) return [`${field} must not contain '/' or ':'`];
  return /\s/.test(name) ? [`${field} must not contain whitespace or non-printable characters`] : [];
}

function wireguardKeyProblem(key: string): string | undefined {
  return base64Problem(key) ?? (Buffer.from(key, "base64").length === 32 ? undefined : "invalid wireguard key length");
}

function wireguardProblems(fields: Fields): string[] {
  const own = word(fields.privateKey);
  const ownProblem = own === "" ? undefined : wireguardKeyProblem(own);
  const port = Number(fields.listenPort ?? 0);
  const peers = list(fields.peers).flatMap((peer, index) => {
    const [key, shared] = [word(at(peer, "publicKey")), word(at(peer, "presharedKey"))];
    const keyProblem = key === "" ? undefined : wireguardKeyProblem(key);
    const sharedProblem = shared === "" ? undefined : wireguardKeyProblem(shared);
    return [
      ...(key === "" ? [`wireguard peer public key must be specified (peer index ${index})`] : []),
      ...(keyProblem === undefined ? [] : [`wireguard peer public key is invalid (peer index ${index}): ${keyProblem}`]),
      ...(sharedProblem === undefined ? [] : [`wireguard peer preshared key is invalid (peer index ${index}): ${sharedProblem}`]),
      ...(Number(at(peer, "persistentKeepaliveInterval") ?? 0) < 0
        ? [`wireguard peer persistent keepalive interval cannot be negative (peer index ${index})`]
        : []),
    ];
  });
  return [
    ...(own === "" ? ["wireguard private key must be specified"] : []),
    ...(ownProblem === undefined ? [] : [`wireguard private key is invalid: ${ownProblem}`]),
    ...(port < 0 || port > 65_535 ? ["wireguard listen port must be between 0 and 65535"] : []),
    ...peers,
  ];
}

function duidProblems({ duidRaw, clientIdentifier }: Fields): string[] {
  const duid = word(clientIdentifier).toLowerCase() === "duid";
  if (filled(duidRaw) && !duid) return ["duidRaw can only be set if clientIdentifier is 'duid'"];
  return duid && !filled(duidRaw) ? ["duidRaw must be set if clientIdentifier is 'duid'"] : [];
}

function hostnameProblems({ auto: kind, hostname }: Fields, version: string): string[] {
  const [auto, name] = [word(kind).toLowerCase(), word(hostname)];
  const problems: string[] = [];
  // From 1.12.9 on a HostnameConfig may contain `auto: off` and nothing else.
  const said = atLeast(version, 12, 9) ? auto !== "" : auto !== "" && auto !== "off";
  if (!said && name === "") problems.push("either 'auto' or 'hostname' must be set");
  if (auto !== "" && auto !== "off" && name !== "") problems.push("'auto' and 'hostname' cannot be set at the same time");
  if (auto === "talos-addr") problems.push(`invalid value for 'auto': ${auto}`);
  if (name !== "") {
    const [first = ""] = name.split(".");
    if (name.length > 253) problems.push(`fqdn is too long: ${name.length}`);
    if (first === "" || first.length > 63) problems.push(`invalid hostname ${quoted(first)}`);
  }
  return problems;
}

function aliasProblems(name: string, fields: Fields, minor: number): string[] {
  const match = word(at(fields, "selector.match"));
  const problem = match === "" ? undefined : celProblem(match, ENVIRONMENTS.link);
  const [prefix, suffix] = name.split(/%(.*)/s);
  return [
    ...unnamed(name),
    ...(minor > 12 && suffix !== undefined && (suffix !== "d" || prefix === "")
      ? [`name ${quoted(name)} contains an invalid format verb, use %d suffix`]
      : []),
    ...(match === "" ? ["link selector is required"] : []),
    ...(problem === undefined ? [] : [`link selector is invalid: ${problem}`]),
  ];
}

function resolverProblems(fields: Fields, warnings: string[]): string[] {
  const { hostDNS } = fields;
  const on = at(hostDNS, "enabled") === true;
  const problems = ["forwardKubeDNSToHost", "resolveMemberNames"]
    .filter((key) => someSet(hostDNS) && !on && at(hostDNS, key) === true)
    .map((key) => `hostDNS.${key} cannot be enabled when hostDNS.enabled is false`);
  const servers = list(fields.nameservers);
  const encrypted = servers.filter((server) => /^do[th]$/i.test(word(at(server, "protocol"))));
  for (const [index, server] of servers.entries()) {
    const protocol = word(at(server, "protocol")).toLowerCase();
    const name = word(at(server, "tlsServerName"));
    if (protocol === "dot" && name === "") problems.push(`tlsServerName must be set when protocol is DoT: entry ${index}`);
    if (protocol === "doh" && name === "") problems.push(`tlsServerName must be set when protocol is DoH: entry ${index}`);
    if ((protocol === "" || protocol === "do53") && name !== "")
      problems.push(`tlsServerName must be empty when protocol is Do53: entry ${index}`);
    if (!filled(at(server, "address"))) problems.push(`nameserver address must be a valid IP: entry ${index}`);
  }
  if (encrypted.length > 0 && encrypted.length === servers.length)
    warnings.push(
      "all configured nameservers use encrypted DNS (DoT or DoH): validating certificates requires a correct system clock, so boot may stall when NTP servers are configured by hostname; consider keeping at least one plain-DNS fallback or configuring NTP servers by IP address",
    );
  return problems;
}

/** Port ranges must not overlap. */
function portProblem(ports: readonly string[]): string | undefined {
  const ranges = ports
    .map((port) => port.split("-").map(Number))
    .map(([low = 0, high = low]) => ({ low, high, text: `${low}-${high}` }))
    .sort((a, b) => a.low - b.low);
  for (const [index, range] of ranges.entries()) {
    if (range.low > range.high) return `invalid port range: ${range.text}`;
    const before = ranges[index - 1];
    if (before && range.low <= before.high) return `invalid port range: ${range.text}, overlaps with ${before.text}`;
  }
  return undefined;
}

function ruleProblems(name: string, fields: Fields): string[] {
  if (name === "") return ["name is required"];
  const ports = list(at(fields, "portSelector.ports")).map(word);
  if (ports.length === 0) return ["portSelector.ports is required"];
  const problem = portProblem(ports);
  if (problem !== undefined) return [problem];
  return list(fields.ingress).some((one) => !filled(at(one, "subnet"))) ? ["invalid subnet: invalid Prefix"] : [];
}

function bondWarnings(fields: Fields): string[] {
  if (word(fields.bondMode).toLowerCase() !== "802.3ad") return [];
  return ["miimon", "updelay", "downdelay"]
    .filter((key) => fields[key] === undefined)
    .map((key) => `${key} was not specified for 802.3ad bond`);
}

const RESERVED_TABLES = ["", "unspec", "local", "main", "default"];

export const LINK_RULES: Readonly<Record<string, DocumentRule>> = {
  LinkConfig: rule(({ name, fields }) => [...unnamed(name), ...linkProblems(fields)]),
  BridgeConfig: rule(({ name, fields }) => [...unnamed(name), ...linkProblems(fields)]),
  DummyLinkConfig: rule(({ name, fields }) => [...unnamed(name), ...linkProblems(fields)]),
  BondConfig: rule(({ name, fields }, { warnings }) => {
    warnings.push(...bondWarnings(fields));
    return [
      ...unnamed(name),
      ...(list(fields.links).length === 0 ? ["at least one link must be specified"] : []),
      ...(fields.bondMode === undefined ? ["bond mode must be specified"] : []),
      ...linkProblems(fields),
    ];
  }),
  VLANConfig: rule(({ name, fields }) => {
    const id = Number(fields.vlanID ?? 0);
    return [
      ...unnamed(name),
      ...(id === 0 || id > 4094 ? ["vlanID must be specified and between 1 and 4094"] : []),
      ...(filled(fields.parent) ? [] : ["parent must be specified"]),
      ...linkProblems(fields),
    ];
  }),
  VRFConfig: rule(({ name, fields }) => [
    ...unnamed(name),
    ...(RESERVED_TABLES.includes(word(fields.table))
      ? [`cannot create vrf with reserved table ${word(fields.table) || "unspec"}`]
      : []),
    ...linkProblems(fields),
  ]),
  VethConfig: rule(({ name, fields }) => {
    const peer = word(at(fields, "peer.name"));
    return [
      ...vethNameProblems("name", name),
      ...vethNameProblems("peer name", peer),
      ...(name !== "" && name === peer ? ["name and peer name must be different"] : []),
      ...linkProblems(fields),
      ...linkProblems((at(fields, "peer") ?? {}) as Fields),
    ];
  }),
  WireguardConfig: rule(({ name, fields }) => [...unnamed(name), ...wireguardProblems(fields), ...linkProblems(fields)]),
  DHCPv4Config: rule(({ name, fields }) => [...unnamed(name), ...duidProblems(fields)]),
  DHCPv6Config: rule(({ name, fields }) => [...unnamed(name), ...duidProblems(fields)]),
  EthernetConfig: rule(({ name }) => (name === "" ? ["name is required"] : [])),
  LinkAliasConfig: rule(({ name, fields }, { mode }) => aliasProblems(name, fields, minorOf(mode.version))),
  Layer2VIPConfig: rule(({ name, fields }) => [
    ...vipNameProblems(name),
    ...(filled(fields.link) ? [] : ["link must be specified"]),
  ]),
  HCloudVIPConfig: rule(({ name, fields }) => [
    ...vipNameProblems(name),
    ...(filled(fields.link) ? [] : ["link must be specified"]),
    ...(filled(fields.apiToken) ? [] : ["apiToken must be specified"]),
  ]),
  HostnameConfig: rule(({ fields }, { mode }) => hostnameProblems(fields, mode.version)),
  ResolverConfig: rule(({ fields }, { mode, warnings }) =>
    minorOf(mode.version) > 13 ? resolverProblems(fields, warnings) : [],
  ),
  TimeSyncConfig: rule(({ fields }) => [
    ...(Number(fields.bootTimeout ?? 0) < 0 ? ["bootTimeout cannot be negative"] : []),
    ...(fields.ntp !== undefined && fields.ptp !== undefined ? ["only one of ntp or ptp configuration can be specified"] : []),
    ...(at(fields, "ntp.useNTS") === true
      ? list(at(fields, "ntp.servers"))
          .map(word)
          .filter((server) => addressProblem(server) === undefined)
          .map((server) => `NTS requires hostnames, not IP addresses: ${quoted(server)}`)
      : []),
  ]),
  StaticHostConfig: rule(({ name, fields }) => [
    ...(name === "" ? ["name is required"] : []),
    ...(addressProblem(name) === undefined ? [] : ["name must be a valid IP address"]),
    ...(list(fields.hostnames).length === 0 ? ["at least one hostname is required"] : []),
  ]),
  NetworkRuleConfig: rule(({ name, fields }) => ruleProblems(name, fields)),
  KubeSpanConfig: rule(({ fields }) => [
    ...(fields.mtu !== undefined && Number(fields.mtu) < 1280 ? ["kubespan link MTU must be at least 1280"] : []),
    ...list(at(fields, "filters.endpoints"))
      .map((cidr) => word(cidr).replace(/^!/, ""))
      .filter((cidr) => !isSubnet(cidr))
      .map((cidr) => `KubeSpan endpoint filter is not valid: ${quoted(cidr)}`),
  ]),
  BlackholeRouteConfig: rule(({ name }) => {
    const problem = prefixProblem(name);
    return [...unnamed(name), ...(problem === undefined ? [] : [`name must be a valid address prefix: ${problem}`])];
  }),
};

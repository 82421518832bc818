import type { Json } from "@talosmith/lib/json.ts";
import ipaddr from "ipaddr.js";
import { base64Problem } from "./go-text.ts";
import { at, filled, isFields, list, quoted, word } from "./values.ts";

const EXCLUSIVE = "config sections are mutually exclusive";

/** Validates machine.network.interfaces, the old format. */
export function deviceProblems(network: Json | undefined, warnings: string[]): string[] {
  const devices = list(at(network, "interfaces")).filter(isFields);
  const problems: string[] = [];
  const owners = new Map<string, string>();
  for (const device of devices) {
    const name = word(device.interface);
    if (device.bond !== undefined && device.bridge !== undefined)
      problems.push(`interface has both bridge and bond sections set ${quoted(name)}: ${EXCLUSIVE}`);
    if (list(at(device, "bond.interfaces")).length > 0 && list(at(device, "bond.deviceSelectors")).length > 0)
      problems.push(`interface ${quoted(name)} has both interfaces and selectors set: ${EXCLUSIVE}`);
    for (const part of list(at(device, device.bridge === undefined ? "bond.interfaces" : "bridge.interfaces")).map(word)) {
      const other = owners.get(part);
      if (other !== undefined && other !== name)
        problems.push(
          `interface ${quoted(part)} is declared as part of two separate links: ${quoted(other)} and ${quoted(name)}`,
        );
      owners.set(part, name);
    }
  }
  for (const device of devices) {
    if (device.ignore === true) continue;
    problems.push(...interfaceProblems(device), ...addressProblems(device, owners, warnings), ...routeProblems(device));
  }
  return problems;
}

function interfaceProblems(device: Readonly<Record<string, Json>>): string[] {
  const problems: string[] = [];
  const [place, selector] = ["networking.os.device.interface", "networking.os.device.deviceSelector"];
  if (!filled(device.interface) && device.deviceSelector === undefined)
    problems.push(`[${place}], [${selector}]: required either config section to be set`);
  else if (filled(device.interface) && device.deviceSelector !== undefined)
    problems.push(`[${place}], [${selector}]: ${EXCLUSIVE}`);
  if (isFields(device.deviceSelector) && Object.values(device.deviceSelector).every((value) => value === "" || value === null))
    problems.push(`[${selector}]: config section should contain at least one field`);
  if (isFields(device.bond)) problems.push(...bondProblems(device.bond));
  if (isFields(device.wireguard)) problems.push(...wireguardProblems(device.wireguard));
  for (const vlan of list(device.vlans)) problems.push(...vlanProblems(word(device.interface), vlan));
  return problems;
}

const BOND_WORDS: readonly (readonly [key: string, words: string, what: string])[] = [
  ["mode", "balance-rr active-backup balance-xor broadcast 802.3ad balance-tlb balance-alb", "bond type"],
  ["xmitHashPolicy", "layer2 layer3+4 layer2+3 encap2+3 encap3+4", "xmit hash policy"],
  ["lacpRate", "slow fast", "lacp rate"],
  ["arpValidate", "none active backup all filter filter-active filter-backup", "arp_validate mode"],
  ["arpAllTargets", "any all", "arp_all_targets mode"],
  ["primaryReselect", "always better failure", "primary_reselect mode"],
  ["failOverMac", "none active follow", "fail_over_mac value"],
  ["adSelect", "stable bandwidth count", "ad_select mode"],
];

function bondProblems(bond: Readonly<Record<string, Json>>): string[] {
  const problems: string[] = [];
  const number = (key: string) => Number(bond[key] ?? 0);
  const mode = word(bond.mode) || "balance-rr";
  for (const [key, words, what] of BOND_WORDS) {
    const given = word(bond[key]);
    if (given !== "" && !words.split(" ").includes(given)) problems.push(`invalid ${what} ${given}`);
  }
  const monitored = number("miimon");
  if (monitored === 0) {
    if (number("updelay") !== 0) problems.push("bond.upDelay can't be set if miiMon is zero");
    if (number("downdelay") !== 0) problems.push("bond.downDelay can't be set if miiMon is zero");
  } else {
    if (number("updelay") % monitored !== 0) problems.push("bond.upDelay should be a multiple of miiMon");
    if (number("downdelay") % monitored !== 0) problems.push("bond.downDelay should be a multiple of miiMon");
  }
  if (list(bond.arpIPTarget).length > 0) problems.push("bond.arpIPTarget is not supported");
  if (filled(bond.lacpRate) && mode !== "802.3ad") problems.push("bond.lacpRate is only available in 802.3ad mode");
  if (filled(bond.adActorSystem)) problems.push("bond.adActorSystem is not supported");
  const balanced = ["802.3ad", "balance-alb", "balance-tlb"].includes(mode);
  if (balanced && filled(bond.arpValidate)) problems.push(`bond.arpValidate is not available in ${mode} mode`);
  if (!["active-backup", "balance-alb", "balance-tlb"].includes(mode) && filled(bond.primary))
    problems.push(`bond.primary is not available in ${mode} mode`);
  if (balanced && number("arpInterval") > 0) problems.push(`bond.arpInterval is not available in ${mode} mode`);
  if (mode !== "balance-rr" && number("packetsPerSlave") > 1)
    problems.push(`bond.packetsPerSlave is not available in ${mode} mode`);
  if (!["balance-alb", "balance-tlb"].includes(mode) && number("tlbDynamicLb") > 0)
    problems.push(`bond.tlbDynamicTLB is not available in ${mode} mode`);
  if (mode !== "802.3ad" && number("adActorSysPrio") > 0) problems.push("bond.adActorSysPrio is only available in 802.3ad mode");
  if (mode !== "802.3ad" && number("adUserPortKey") > 0) problems.push("bond.adUserPortKey is only available in 802.3ad mode");
  return problems;
}

function wireguardProblems(wireguard: Readonly<Record<string, Json>>): string[] {
  const keyProblem = (key: string) => {
    const length = Buffer.from(key, "base64").length;
    return base64Problem(key) ?? (length === 32 ? undefined : `wrong key ${quoted(key)} length: ${length}`);
  };
  const own = keyProblem(word(wireguard.privateKey));
  const peers = list(wireguard.peers).flatMap((peer) => {
    const key = keyProblem(word(at(peer, "publicKey")));
    const endpoint = word(at(peer, "endpoint"));
    return [
      ...(key === undefined ? [] : [`public key invalid: ${key}`]),
      ...(endpoint === "" || /:\d+$/.test(endpoint) ? [] : [`peer endpoint ${quoted(endpoint)} is invalid`]),
      ...list(at(peer, "allowedIPs"))
        .map(word)
        .filter((cidr) => !ipaddr.isValidCIDR(cidr))
        .map((cidr) => `peer allowed IP ${quoted(cidr)} is invalid: invalid CIDR address: ${cidr}`),
    ];
  });
  return [...(own === undefined ? [] : [`private key is invalid: ${own}`]), ...peers];
}

function vlanProblems(parent: string, vlan: Json): string[] {
  const where = (place: string, why: string) =>
    `[networking.os.device.vlan${place}] ${parent}.${word(at(vlan, "vlanId")) || 0}: ${why}`;
  const [cidr, addresses] = [word(at(vlan, "cidr")), list(at(vlan, "addresses")).map(word)];
  return [
    ...(addresses.length > 0 && cidr !== "" ? [where("", "vlan can't have both .cidr and .addresses set")] : []),
    ...(cidr === "" ? [] : problemOf(cidr, (why) => where(".CIDR", why))),
    ...addresses.flatMap((address) => problemOf(address, (why) => where(".addresses", why))),
  ];
}

/** Checks an address, with or without a prefix. */
function problemOf(address: string, say: (why: string) => string): string[] {
  if (address.includes("/")) return ipaddr.isValidCIDR(address) ? [] : [say(`invalid CIDR address: ${address}`)];
  return isAddress(address) ? [] : [say(`failed to parse IP address ${quoted(address)}`)];
}

function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

function addressProblems(
  device: Readonly<Record<string, Json>>,
  owners: ReadonlyMap<string, string>,
  warnings: string[],
): string[] {
  const name = word(device.interface);
  const [cidr, addresses] = [word(device.cidr), list(device.addresses).map(word)];
  const where = (place: string, why: string) => `[networking.os.device${place}] ${quoted(name)}: ${why}`;
  const problems: string[] = [];
  if (owners.has(name) && (device.dhcp === true || cidr !== "" || addresses.length > 0 || device.vip !== undefined))
    problems.push(where("", "bonded/bridged interface shouldn't have any addressing methods configured"));
  if (addresses.length > 0 && cidr !== "") problems.push(where("", "interface can't have both .cidr and .addresses set"));
  if (cidr !== "") {
    problems.push(...problemOf(cidr, (why) => where(".CIDR", why)));
    warnings.push(
      `${quoted(name)}: machine.network.interface.cidr is deprecated, please use machine.network.interface.addresses`,
    );
  }
  problems.push(...addresses.flatMap((address) => problemOf(address, (why) => where(".addresses", why))));
  const vip = word(at(device, "vip.ip"));
  if (device.vip !== undefined && !isAddress(vip))
    problems.push(`[networking.os.device.vip] failed to parse ${quoted(vip)} as IP address`);
  return problems;
}

function routeProblems(device: Readonly<Record<string, Json>>): string[] {
  return list(device.routes).flatMap((route, index) => {
    const place = `networking.os.device.route[${index}]`;
    const [network, gateway, source] = ["network", "gateway", "source"].map((key) => word(at(route, key))) as [
      string,
      string,
      string,
    ];
    const invalid = (key: string, text: string) => `[${place}.${key}] ${quoted(text)}: invalid network address`;
    return [
      ...(network !== "" && !ipaddr.isValidCIDR(network) ? [invalid("network", network)] : []),
      ...(gateway !== "" && !isAddress(gateway) ? [invalid("gateway", gateway)] : []),
      ...(gateway === "" && network === "" ? [`[${place}]: either network or gateway should be set`] : []),
      ...(source !== "" && !isAddress(source) ? [invalid("source", source)] : []),
    ];
  });
}

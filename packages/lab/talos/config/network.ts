import type { Json } from "@talosmith/lib/json.ts";
import type { Link, PlatformNetwork } from "../state.ts";
import { aliasesIn, type ConfiguredLink, configuredLinks, type LogicalLink } from "./links.ts";
import { at, type ConfigDocument, documentsOf, list, mainOf, only, word } from "./values.ts";

export interface NodeNetwork {
  hostname: string;
  /** With prefix; those of the config come first. */
  addresses: { link: string; address: string }[];
  /** Networks with a route of their own, besides those of its addresses. */
  routes: { link: string; to: string }[];
  /** "net0" to "eth0" */
  aliases: Record<string, string>;
  /** Bonds, VLANs and others whose ports or parents exist. */
  links: LogicalLink[];
  nameservers: string[];
  gateway?: string;
  /** Virtual addresses that this node may hold. */
  vips: { address: string; link: string }[];
}

/** Combines a platform's network with a config: the platform's addresses are kept, unless they came by DHCP (docs/facts/talos.md#network-rules). */
export function nodeNetwork(
  documents: readonly ConfigDocument[],
  platform: PlatformNetwork,
  links: readonly Link[],
  stableName: string,
): NodeNetwork {
  const main = mainOf(documents);
  const aliases = aliasesIn(documents, links);
  const card = (name: string) =>
    links.find((link) => [link.name, `enx${link.mac.replaceAll(":", "")}`].includes(name) || link.name === aliases[name])?.name;
  const configured = configuredLinks(documents, main, links, card);
  const made = logicalLinks(configured, links);
  const known = new Set([...links.map(({ name }) => name), ...made.map(({ name }) => name)]);
  const linkNamed = (name: string) => card(name) ?? (known.has(name) ? name : undefined);
  const present = configured.filter(({ name }) => known.has(name));
  const asked =
    documentsOf(documents, "DHCPv4Config").some(({ name }) => linkNamed(name) !== undefined) || present.some(({ dhcp }) => dhcp);
  const [first] = links;
  const kept = platform.dhcp !== true || configured.length === 0 || asked;
  const addresses = [
    ...present.flatMap(({ name, addresses: own }) => own.map((address) => ({ link: name, address }))),
    ...(first && kept ? platform.addresses.map((address) => ({ link: first.name, address })) : []),
  ];
  const [gateway = platform.gateway] = present.flatMap(({ gateways }) => gateways);
  return {
    hostname: hostnameOf(documents, main) ?? platform.hostname ?? stableName,
    addresses: addresses.filter(({ address }, index) => addresses.findIndex((other) => other.address === address) === index),
    routes: present.flatMap(({ name, routes }) => routes.map((to) => ({ link: name, to }))),
    aliases,
    links: made,
    nameservers: nameserversOf(documents, main, platform),
    ...(gateway !== undefined && { gateway }),
    vips: virtualAddresses(documents, present, linkNamed),
  };
}

function hostnameOf(documents: readonly ConfigDocument[], main: Json | undefined): string | undefined {
  return word(only(documents, "HostnameConfig")?.hostname) || word(at(main, "machine.network.hostname")) || undefined;
}

function nameserversOf(documents: readonly ConfigDocument[], main: Json | undefined, platform: PlatformNetwork): string[] {
  const resolvers = list(only(documents, "ResolverConfig")?.nameservers).map((one) => word(at(one, "address")));
  const given = [...resolvers, ...list(at(main, "machine.network.nameservers")).map(word)];
  return given.length > 0 ? given : platform.nameservers;
}

/** A link may be listed before the one it is based on. */
function logicalLinks(configured: readonly ConfiguredLink[], links: readonly Link[]): LogicalLink[] {
  const wanted = configured.flatMap(({ logical }) => logical ?? []);
  const there = new Set(links.map(({ name }) => name));
  const made: LogicalLink[] = [];
  for (let before = -1; made.length > before; ) {
    before = made.length;
    for (const link of wanted) {
      const over = link.over.filter((name) => there.has(name));
      const needs = link.over.length > 0 && link.kind !== "bridge" && link.kind !== "vrf";
      if (made.some(({ name }) => name === link.name) || (needs && over.length === 0)) continue;
      made.push({ ...link, over });
      there.add(link.name);
    }
  }
  return made;
}

function virtualAddresses(
  documents: readonly ConfigDocument[],
  present: readonly ConfiguredLink[],
  linkNamed: (name: string) => string | undefined,
): NodeNetwork["vips"] {
  const shared = ["Layer2VIPConfig", "HCloudVIPConfig"].flatMap((kind) => documentsOf(documents, kind));
  const layer2 = shared.flatMap(({ name, fields }) => {
    const link = linkNamed(word(fields.link));
    return link === undefined ? [] : [{ address: name, link }];
  });
  return [...layer2, ...present.flatMap(({ name, vip }) => (vip === undefined ? [] : [{ address: vip, link: name }]))];
}

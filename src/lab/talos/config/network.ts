import type { Json } from "../../../lib/json.ts";
import type { Link, PlatformNetwork } from "../state.ts";
import type { ConfigDocument } from "./documents.ts";
import { isFields } from "./documents.ts";
import { at, list, word } from "./validate.ts";

export interface NodeNetwork {
  hostname: string;
  /** With prefix; the ones the config names come first. */
  addresses: { link: string; address: string }[];
  /** "net0" to "eth0" */
  aliases: Record<string, string>;
  nameservers: string[];
  gateway?: string;
  /** Virtual addresses this node may answer for. */
  vips: { address: string; link: string }[];
}

/** What a node makes of its platform's network and of its config (talos.md 3.3): it keeps the platform's addresses, too. */
export function nodeNetwork(
  documents: readonly ConfigDocument[],
  platform: PlatformNetwork,
  links: readonly Link[],
  stableName: string,
): NodeNetwork {
  const main = documents.find((document) => document.kind === "v1alpha1")?.fields;
  const aliases = aliasesIn(documents, links);
  const linkNamed = (name: string) => links.find((link) => link.name === name || link.name === aliases[name])?.name;
  const configured = [...linkAddresses(documents, linkNamed), ...deviceAddresses(main, links)];
  const [first] = links;
  const given = first ? platform.addresses.map((address) => ({ link: first.name, address })) : [];
  const addresses = [...configured, ...given];
  const named = documents.find((document) => document.kind === "HostnameConfig")?.fields.hostname;
  const resolvers = list(documents.find((document) => document.kind === "ResolverConfig")?.fields.nameservers);
  const nameservers = [...resolvers.map((one) => word(at(one, "address"))), ...texts(at(main, "machine.network.nameservers"))];
  return {
    hostname: text(named) ?? text(at(main, "machine.network.hostname")) ?? platform.hostname ?? stableName,
    addresses: addresses.filter(({ address }, index) => addresses.findIndex((other) => other.address === address) === index),
    aliases,
    nameservers: nameservers.length > 0 ? nameservers : platform.nameservers,
    ...(platform.gateway !== undefined && { gateway: platform.gateway }),
    vips: virtualAddresses(documents, main, linkNamed),
  };
}

function text(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function texts(value: Json | undefined): string[] {
  return list(value).map(word);
}

/** Selectors are CEL; of it, the two ways people write a MAC address are understood. */
function aliasesIn(documents: readonly ConfigDocument[], links: readonly Link[]): Record<string, string> {
  const aliases = documents
    .filter((document) => document.kind === "LinkAliasConfig")
    .flatMap(({ name, fields }) => {
      const match = word(at(fields, "selector.match") ?? "").toLowerCase();
      const exact = /mac\(link\.(?:permanent|hardware)_addr\)\s*==\s*["']([0-9a-f:]+)["']/.exec(match)?.[1];
      const glob = /glob\(["']([0-9a-f:*]+)["'],\s*mac\(link\.(?:permanent|hardware)_addr\)\)/.exec(match)?.[1];
      const fits = (mac: string) =>
        mac === exact || (glob !== undefined && new RegExp(`^${glob.replaceAll("*", ".*")}$`).test(mac));
      const matching = links.filter((link) => fits(link.mac));
      // Several links, or none: the alias is not made (talos.md 3.1).
      return matching.length === 1 && matching[0] ? [[name, matching[0].name] as const] : [];
    });
  return Object.fromEntries(aliases);
}

function linkAddresses(documents: readonly ConfigDocument[], linkNamed: (name: string) => string | undefined) {
  return documents
    .filter((document) => document.kind === "LinkConfig")
    .flatMap(({ name, fields }) => {
      const link = linkNamed(name);
      if (link === undefined) return [];
      return list(fields.addresses).map((one) => ({ link, address: word(at(one, "address")) }));
    });
}

/** machine.network.interfaces, the old spelling. */
function deviceAddresses(main: Json | undefined, links: readonly Link[]) {
  return list(at(main, "machine.network.interfaces")).flatMap((device) => {
    const mac = word(at(device, "deviceSelector.hardwareAddr") ?? at(device, "deviceSelector.permanentAddr") ?? "").toLowerCase();
    const physical = at(device, "deviceSelector.physical") === true;
    const link =
      links.find((one) => one.name === at(device, "interface") || one.mac === mac) ?? (physical ? links[0] : undefined);
    if (!link) return [];
    const cidr = text(at(device, "cidr"));
    return [...texts(at(device, "addresses")), ...(cidr === undefined ? [] : [cidr])].map((address) => ({
      link: link.name,
      address: address.includes("/") ? address : `${address}/32`,
    }));
  });
}

function virtualAddresses(
  documents: readonly ConfigDocument[],
  main: Json | undefined,
  linkNamed: (name: string) => string | undefined,
): NodeNetwork["vips"] {
  const layer2 = documents
    .filter((document) => document.kind === "Layer2VIPConfig")
    .flatMap(({ name, fields }) => {
      const link = linkNamed(word(fields.link ?? ""));
      return link === undefined ? [] : [{ address: name, link }];
    });
  const old = list(at(main, "machine.network.interfaces")).flatMap((device) => {
    const address = isFields(device) ? text(at(device, "vip.ip")) : undefined;
    const link = linkNamed(word(at(device, "interface") ?? ""));
    return address === undefined || link === undefined ? [] : [{ address, link }];
  });
  return [...layer2, ...old];
}

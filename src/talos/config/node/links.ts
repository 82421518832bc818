import type { BondConfig } from "../../../config/config.ts";
import type { ConfigDocument } from "../document.ts";
import { hostNetwork, isSameFamily } from "./addresses.ts";
import {
  cardDocuments,
  cardOf,
  type LinkContent,
  linkAlias,
  linkContent,
  ONLY_CARD,
  vlanDocument,
  vlanName,
} from "./link-documents.ts";
import { nicDocuments } from "./nics.ts";
import { type NodeInput, newDocument } from "./node-input.ts";

const CARD = "net0";
const BOND = "bond0";

/** Without it the kernel never looks whether a card of a bond has lost its cable, and Talos passes on that it is absent. */
const LINK_CHECK_MS = 100;

/**
 * The documents of a node's links. One configured link stops DHCP on all links, so all settings are written here. When the card of a node is not
 * known, none are written: DHCP or the platform stays in effect with its MTU and nameservers, and the node cannot have the VIP.
 */
export function linkDocuments(input: NodeInput): ConfigDocument[] {
  const { node, network, cluster } = input;
  const carrier = carrierOf(input);
  if (carrier === undefined) return [];
  const { nameservers } = network;
  return [
    ...carrier.documents,
    ...node.nics.flatMap((nic, at) => nicDocuments(nic, at + 1, nic.mac ?? input.nicMacs?.[at])),
    ...(nameservers.length === 0
      ? []
      : [newDocument("ResolverConfig", { nameservers: nameservers.map((address) => ({ address })) })]),
    // Talos refuses it on workers.
    ...(cluster.vip === undefined || node.role === "worker"
      ? []
      : [newDocument("Layer2VIPConfig", { name: cluster.vip, link: carrier.link })]),
  ];
}

/** The link that has the node's addresses. */
function carrierOf({ node, network, mac }: NodeInput): { link: string; documents: ConfigDocument[] } | undefined {
  const { bond, tag } = node;
  const name = bond === undefined ? CARD : BOND;
  const content = contentOf(node, network);
  // A VLAN's packets can be no longer than its parent's.
  const below: LinkContent = tag === undefined ? content : { mtu: network.mtu };
  const card = mac !== undefined ? cardOf(mac) : node.onlyCard ? ONLY_CARD : undefined;
  const documents =
    bond !== undefined ? bondDocuments(bond, below) : card === undefined ? undefined : cardDocuments(CARD, card, below);
  if (documents === undefined) return undefined;
  if (tag === undefined) return { link: name, documents };
  return { link: vlanName(name, tag), documents: [...documents, vlanDocument(name, tag, content)] };
}

function contentOf(node: NodeInput["node"], { prefix, gateway, second, mtu }: NodeInput["network"]): LinkContent {
  const addresses = [
    { ip: node.ip, prefix: node.prefix ?? prefix, gateway },
    ...(node.secondIp === undefined || second === undefined ? [] : [{ ...second, ip: node.secondIp }]),
  ];
  return {
    mtu,
    addresses: addresses.map(({ ip, prefix }) => (prefix === undefined ? hostNetwork(ip) : `${ip}/${prefix}`)),
    routes: addresses.flatMap(({ ip, gateway }) => {
      const via = node.gateway !== undefined && isSameFamily(node.gateway, ip) ? node.gateway : gateway;
      return via === undefined ? [] : [{ via }];
    }),
  };
}

function bondDocuments({ mode, macs, miimon, lacpRate, xmitHashPolicy }: BondConfig, content: LinkContent): ConfigDocument[] {
  const links = macs.map((_, at) => `${BOND}p${at}`);
  const check = miimon ?? LINK_CHECK_MS;
  return [
    ...macs.map((mac, at) => linkAlias(`${BOND}p${at}`, cardOf(mac))),
    newDocument("BondConfig", {
      name: BOND,
      links,
      bondMode: mode,
      miimon: check,
      // Talos warns when an LACP bond lacks these; the kernel requires multiples of the check interval.
      ...(mode === "802.3ad" && { updelay: 2 * check, downdelay: 2 * check }),
      ...(xmitHashPolicy !== undefined && { xmitHashPolicy }),
      ...(lacpRate !== undefined && { lacpRate }),
      ...linkContent(content),
    }),
  ];
}

import type { Json } from "@talosmith/lib/json.ts";
import type { ConfigDocument, JsonObject } from "../document.ts";
import { hostNetwork, isInside, isLinkLocal } from "./addresses.ts";
import { newDocument } from "./node-input.ts";

/** The settings of a link of any kind. Addresses have prefix lengths. */
export interface LinkContent {
  readonly mtu?: number | undefined;
  readonly addresses?: readonly string[];
  readonly routes?: readonly LinkRoute[];
}

export interface LinkRoute {
  /** A network; absent = everything. */
  readonly to?: string;
  readonly via: string;
  readonly metric?: number;
}

/**
 * The one card of a machine. Links that software makes have a kind, and a management controller's own little network hangs on USB. Talos looks at
 * Ethernet cards only, and gives the name to none when several match.
 */
export const ONLY_CARD =
  'link.type == 1 && link.kind == "" && !(link.driver in ["cdc_eem", "cdc_ether", "cdc_ncm", "cdc_subset", "rndis_host"])';

/** The card with this address. */
export function cardOf(mac: string): string {
  return `mac(link.permanent_addr) == "${mac.toLowerCase()}"`;
}

/** An alias for a card, independent of the kernel's name. `match`: Talos's expression that selects it. */
export function linkAlias(name: string, match: string): ConfigDocument {
  return newDocument("LinkAliasConfig", { name, selector: { match } });
}

export function cardDocuments(name: string, match: string, content: LinkContent): ConfigDocument[] {
  return [linkAlias(name, match), newDocument("LinkConfig", { name, ...linkContent(content) })];
}

export function vlanDocument(parent: string, id: number, content: LinkContent): ConfigDocument {
  return newDocument("VLANConfig", { name: vlanName(parent, id), vlanID: id, parent, ...linkContent(content) });
}

export function vlanName(parent: string, id: number): string {
  return `${parent}.${id}`;
}

export function linkContent({ mtu, addresses = [], routes = [] }: LinkContent): JsonObject {
  return {
    up: true,
    ...(mtu !== undefined && { mtu }),
    ...(addresses.length > 0 && { addresses: addresses.map((address) => ({ address })) }),
    ...(routes.length > 0 && { routes: routeList(routes, addresses) }),
  };
}

/** The routes of a link. A gateway outside of its networks first gets a route on the link, or the kernel refuses it. */
function routeList(routes: readonly LinkRoute[], addresses: readonly string[]): Json[] {
  const onLink = new Set<string>();
  return routes.flatMap(({ to, via, metric }) => {
    const route: JsonObject = {
      ...(to !== undefined && { destination: to }),
      gateway: via,
      ...(metric !== undefined && { metric }),
    };
    if (onLink.has(via) || isLinkLocal(via) || addresses.some((address) => isInside(via, address))) return [route];
    onLink.add(via);
    return [{ destination: hostNetwork(via) }, route];
  });
}

import type { Json } from "../../../lib/json.ts";
import type { ConfigDocument, JsonObject } from "../document.ts";
import { hostNetwork, isInside, isLinkLocal } from "./addresses.ts";
import { newDocument } from "./node-input.ts";

/** What a link of any kind can carry. Addresses have prefix lengths. */
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

/** A name of ours for a card, whatever the kernel calls it. */
export function linkAlias(name: string, mac: string): ConfigDocument {
  return newDocument("LinkAliasConfig", { name, selector: { match: `mac(link.permanent_addr) == "${mac.toLowerCase()}"` } });
}

export function cardDocuments(name: string, mac: string, content: LinkContent): ConfigDocument[] {
  return [linkAlias(name, mac), newDocument("LinkConfig", { name, ...linkContent(content) })];
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

/** A gateway that none of the link's networks has is first said to be on the link, or the kernel refuses to go through it. */
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

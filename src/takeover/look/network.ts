import { parseIp } from "@talosmith/lib/ip.ts";
import type { SurveyedCard, SurveyedNetwork } from "../survey.ts";
import { addressesOfIfconfig } from "./ifconfig.ts";
import { type Address, addressesOf, type DefaultRoute, defaultRoutesOf } from "./ip-answers.ts";
import { filesOf, linesOf, type Sections } from "./sections.ts";

/** The network of the server. */
export function networkOf(sections: Sections, cmdline: string): SurveyedNetwork {
  const said = linesOf(sections, "addresses");
  const byIp = addressesOf(said);
  const addresses = byIp.length > 0 ? byIp : addressesOfIfconfig(said);
  const routes = defaultRoutesOf(sections);
  // IPv4 first, then the one that the kernel prefers.
  const main = routes[0];
  const cards = cardsOf(sections).map(({ name, mac }) => cardOf(name, mac, addresses, routes, cmdline));
  return {
    cards,
    ...(main !== undefined && { main: main.card }),
    ...(main?.gateway !== undefined && { gateway: main.gateway }),
    nameservers: nameserversOf(sections),
  };
}

function cardOf(
  name: string,
  mac: string,
  addresses: readonly Address[],
  routes: readonly DefaultRoute[],
  cmdline: string,
): SurveyedCard {
  const own = addresses.filter((address) => address.card === name);
  const fours = own.filter(({ text }) => !text.includes(":"));
  const routed = routes.some((route) => route.card === name && route.byDhcp);
  // IPv6 addresses from router advertisements expire too, so they do not show a lease while there are others.
  const leased = (fours.length > 0 ? fours : own).some((address) => address.dynamic);
  const byKernel = routes.some((route) => route.card === name) && /(^|\s)ip=(\S*:)?(dhcp|on|any)(:\S*)?(\s|$)/.test(cmdline);
  return { name, mac, addresses: own.map(({ text }) => text), dhcp: own.length > 0 && (routed || leased || byKernel) };
}

/** Ethernet cards that are hardware; where nothing says so, all that could be. A member of a bond counts by its own address. */
function cardsOf(sections: Sections): { name: string; mac: string }[] {
  const files = filesOf(linesOf(sections, "cards"));
  const physical = new Set(
    linesOf(sections, "physical").flatMap((line) => /^\/sys\/class\/net\/([^/]+)\/device$/.exec(line.trim())?.[1] ?? []),
  );
  const names = [...files.keys()].flatMap((path) => /^\/sys\/class\/net\/([^/]+)\/address$/.exec(path)?.[1] ?? []);
  const file = (name: string, what: string) => files.get(`/sys/class/net/${name}/${what}`);
  const ethernet = names.filter((name) => name !== "lo" && (file(name, "type") ?? "1") === "1");
  const chosen = ethernet.some((name) => physical.has(name)) ? ethernet.filter((name) => physical.has(name)) : ethernet;
  return chosen.flatMap((name) => {
    const mac = (file(name, "bonding_slave/perm_hwaddr") ?? file(name, "address") ?? "").toUpperCase();
    return /^([0-9A-F]{2}:){5}[0-9A-F]{2}$/.test(mac) ? [{ name, mac }] : [];
  });
}

/** The nameservers; for a local resolver its upstream servers, since other machines cannot use it. */
function nameserversOf(sections: Sections): string[] {
  const written = (name: string) => linesOf(sections, name).flatMap((line) => /^\s*nameserver\s+(\S+)/.exec(line)?.[1] ?? []);
  const byResolved = linesOf(sections, "resolvectl").flatMap((line) =>
    line
      .replace(/^[^:]*:/, "")
      .trim()
      .split(/\s+/),
  );
  for (const servers of [written("resolvers"), written("uplinks"), byResolved]) {
    const useful = servers.map((server) => server.replace(/[%#].*$/, "")).filter(isUseful);
    if (useful.length > 0) return [...new Set(useful)];
  }
  return [];
}

function isUseful(server: string): boolean {
  return parseIp(server) !== undefined && !server.startsWith("127.") && server !== "::1" && !/^fe80:/i.test(server);
}

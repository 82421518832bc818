import type { Json } from "@talosmith/lib/json.ts";
import { celHolds } from "../cel/evaluate.ts";
import type { Link } from "../state.ts";
import { at, type ConfigDocument, documentsOf, list, word } from "./values.ts";

/** A link without hardware, created by the config. */
export interface LogicalLink {
  name: string;
  kind: "bond" | "bridge" | "vlan" | "dummy" | "wireguard" | "vrf" | "veth";
  /** Its existing ports or parent links. */
  over: string[];
  vlan?: number;
}

/** The variables of a card in a LinkAliasConfig expression. */
function celLink(link: Link, index: number) {
  const slot = (0x12 + index).toString(16);
  return {
    permanent_addr: link.mac,
    hardware_addr: link.mac,
    driver: link.driver,
    kind: "",
    type: 1,
    bus_path: `0000:00:${slot}.0`,
  };
}

/** Maps "net0" to "eth0". A plain alias must match exactly one link; with %d, it numbers all matching links (1.13). */
export function aliasesIn(documents: readonly ConfigDocument[], links: readonly Link[]): Record<string, string> {
  return Object.fromEntries(
    documentsOf(documents, "LinkAliasConfig").flatMap(({ name, fields }) => {
      const match = word(at(fields, "selector.match"));
      const matching = links.filter((link, index) => celHolds(match, { link: celLink(link, index) }));
      if (name.endsWith("%d")) return matching.map((link, index) => [name.replace("%d", String(index)), link.name]);
      return matching.length === 1 && matching[0] ? [[name, matching[0].name]] : [];
    }),
  );
}

const KINDS: Readonly<Record<string, LogicalLink["kind"]>> = {
  BondConfig: "bond",
  BridgeConfig: "bridge",
  VLANConfig: "vlan",
  DummyLinkConfig: "dummy",
  WireguardConfig: "wireguard",
  VRFConfig: "vrf",
  VethConfig: "veth",
};

/** A link with its configuration, from documents or machine.network.interfaces. */
export interface ConfiguredLink {
  /** The name of a new link, or the known name of a card. */
  name: string;
  logical?: LogicalLink;
  addresses: string[];
  gateways: string[];
  /** Networks routed over it, besides those of its addresses and the default route. */
  routes: string[];
  dhcp: boolean;
  vip?: string;
}

/** `real` returns the card with a name or an alias. */
export function configuredLinks(
  documents: readonly ConfigDocument[],
  main: Json | undefined,
  links: readonly Link[],
  real: (name: string) => string | undefined,
): ConfiguredLink[] {
  return [
    ...documents.flatMap((document) => documentLinks(document, real)),
    ...list(at(main, "machine.network.interfaces")).flatMap((device) => deviceLinks(device, links, real)),
  ];
}

function common(fields: Json): Pick<ConfiguredLink, "addresses" | "gateways" | "routes" | "dhcp"> {
  return {
    routes: routesIn(fields, "destination"),
    addresses: list(at(fields, "addresses")).map((one) => word(at(one, "address"))),
    gateways: list(at(fields, "routes"))
      .filter((route) => !word(at(route, "destination")).replace(/^(0\.0\.0\.0|::)\/0$/, ""))
      .map((route) => word(at(route, "gateway")))
      .filter((gateway) => gateway !== ""),
    dhcp: false,
  };
}

const EVERYTHING = /^$|^(0\.0\.0\.0|::)\/0$/;

function routesIn(fields: Json, key: string): string[] {
  return list(at(fields, "routes"))
    .map((route) => word(at(route, key)))
    .filter((network) => !EVERYTHING.test(network));
}

function documentLinks({ kind, name, fields }: ConfigDocument, real: (name: string) => string | undefined): ConfiguredLink[] {
  if (kind === "LinkConfig") return [{ name: real(name) ?? name, ...common(fields) }];
  const logical = KINDS[kind];
  if (!logical) return [];
  const parent = word(fields.parent);
  const over = [...list(fields.links).map(word), ...(parent === "" ? [] : [parent])].map((one) => real(one) ?? one);
  const vlan = Number(fields.vlanID ?? 0);
  const peer = word(at(fields, "peer.name"));
  return [
    { name, logical: { name, kind: logical, over, ...(vlan > 0 && { vlan }) }, ...common(fields) },
    ...(peer === ""
      ? []
      : [{ name: peer, logical: { name: peer, kind: logical, over: [name] }, ...common(at(fields, "peer") ?? {}) }]),
  ];
}

/** The links of a device in the old format, with everything based on it. */
function deviceLinks(device: Json, links: readonly Link[], real: (name: string) => string | undefined): ConfiguredLink[] {
  if (at(device, "ignore") === true) return [];
  const name = deviceName(device, links, real);
  if (name === undefined) return [];
  const own = deviceCommon(device);
  const logical = deviceKind(device, name, real);
  const vlans = list(at(device, "vlans")).map((vlan): ConfiguredLink => {
    const id = Number(at(vlan, "vlanId") ?? 0);
    const vlanName = `${name}.${id}`;
    return { name: vlanName, logical: { name: vlanName, kind: "vlan", over: [name], vlan: id }, ...deviceCommon(vlan) };
  });
  return [{ name, ...(logical && { logical }), ...own }, ...vlans];
}

function deviceName(device: Json, links: readonly Link[], real: (name: string) => string | undefined): string | undefined {
  const given = word(at(device, "interface"));
  if (given !== "") return real(given) ?? given;
  const selector = at(device, "deviceSelector");
  const mac = word(at(selector, "hardwareAddr") ?? at(selector, "permanentAddr")).toLowerCase();
  const driver = word(at(selector, "driver"));
  const glob = (pattern: string, text: string) =>
    pattern === "" || new RegExp(`^${pattern.replaceAll(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`).test(text);
  return links.find((link) => glob(mac, link.mac) && glob(driver, link.driver))?.name;
}

function deviceCommon(device: Json): Pick<ConfiguredLink, "addresses" | "gateways" | "routes" | "dhcp" | "vip"> {
  const cidr = word(at(device, "cidr"));
  const vip = word(at(device, "vip.ip"));
  return {
    addresses: [...list(at(device, "addresses")).map(word), ...(cidr === "" ? [] : [cidr])].map((address) =>
      address.includes("/") ? address : `${address}/${address.includes(":") ? 128 : 32}`,
    ),
    gateways: list(at(device, "routes"))
      .filter((route) => ["", "0.0.0.0/0", "::/0"].includes(word(at(route, "network"))))
      .map((route) => word(at(route, "gateway")))
      .filter((gateway) => gateway !== ""),
    routes: routesIn(device, "network"),
    dhcp: at(device, "dhcp") === true,
    ...(vip !== "" && { vip }),
  };
}

function deviceKind(device: Json, name: string, real: (name: string) => string | undefined): LogicalLink | undefined {
  const members = (path: string) => list(at(device, path)).map((one) => real(word(one)) ?? word(one));
  if (at(device, "bond") !== undefined) return { name, kind: "bond", over: members("bond.interfaces") };
  if (at(device, "bridge") !== undefined) return { name, kind: "bridge", over: members("bridge.interfaces") };
  if (at(device, "wireguard") !== undefined) return { name, kind: "wireguard", over: [] };
  return at(device, "dummy") === true ? { name, kind: "dummy", over: [] } : undefined;
}

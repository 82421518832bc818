import ipaddr from "ipaddr.js";
import { type Called, configOf } from "../api/caller.ts";
import { heldVips } from "../etcd/vip.ts";
import { hostDns } from "../inside/host-dns.ts";
import { networkOf } from "../machine/network.ts";
import type { Machine } from "../state.ts";
import { linksOf } from "./links.ts";
import { yamlOf } from "./print.ts";
import { described, type ResourceSource } from "./resource.ts";

function vipPrefix(address: string): string {
  return `${address}/${address.includes(":") ? 128 : 32}`;
}

/** All addresses of a machine's links, including the virtual addresses it holds. */
function present(called: Called): { link: string; address: string }[] {
  const { addresses, vips } = networkOf(called.machine);
  const held = heldVips(called.lab, called.machine).map((address) => ({
    link: vips.find((vip) => vip.address === address)?.link ?? "",
    address: vipPrefix(address),
  }));
  return [...addresses, ...held];
}

function addressSets(called: Called): Record<string, string[]> {
  const own = networkOf(called.machine).addresses.map(({ address }) => address);
  const current = present(called).map(({ address }) => address);
  const [first] = own;
  const all = { current, accumulative: current, routed: current };
  const filtered = Object.entries(all).map(([id, addresses]) => [`${id}-no-k8s`, addresses] as const);
  const inPods = Object.keys(all).map((id) => [`${id}-only-k8s`, [] as string[]] as const);
  return {
    default: first === undefined ? [] : [first],
    ...all,
    ...(called.boot.config !== undefined && Object.fromEntries([...filtered, ...inPods])),
  };
}

function broadcast(address: string): string | undefined {
  if (!ipaddr.IPv4.isValidCIDR(address) || address.endsWith("/32")) return undefined;
  return ipaddr.IPv4.broadcastAddressFromCIDR(address).toString();
}

function family(address: string): string {
  return address.includes(":") ? "inet6" : "inet4";
}

function networkPart(prefix: string): string {
  const [, bits] = prefix.split("/");
  const start = prefix.includes(":") ? ipaddr.IPv6.networkAddressFromCIDR(prefix) : ipaddr.IPv4.networkAddressFromCIDR(prefix);
  return `${start.toString()}/${bits}`;
}

/** Talos's default resolvers. */
const USUAL_RESOLVERS = ["1.1.1.1", "8.8.8.8"];

function resolversOf(machine: Machine): string[] {
  const given = networkOf(machine).nameservers.filter((one) => ipaddr.isValid(one));
  return given.length > 0 ? given : USUAL_RESOLVERS;
}

export const networkSources: readonly ResourceSource[] = [
  described(
    "NodeAddresses.net.talos.dev",
    "network.NodeAddressController",
    "1 addresses prefix*  2 sortAlgorithm addressSort",
    (called) => Object.entries(addressSets(called)).map(([id, addresses]) => [id, { addresses, sortAlgorithm: "v1" }]),
  ),
  described(
    "AddressStatuses.net.talos.dev",
    "network.AddressStatusController",
    `1 address prefix  2 local? ip  3 broadcast? ip  4 anycast? ip  5 multicast? ip  6 linkIndex number  7 linkName text  8 family family
     9 scope scope  10 flags addressFlags  11 priority number`,
    (called) => {
      const links = linksOf(called.machine);
      return [{ link: "lo", address: "127.0.0.1/8" }, ...present(called)].map(({ link, address }) => [
        `${link}/${address}`,
        {
          address,
          local: address.split("/")[0],
          broadcast: link === "lo" ? undefined : broadcast(address),
          linkIndex: links.find((one) => one.name === link)?.index ?? 0,
          linkName: link,
          family: family(address),
          scope: link === "lo" ? "host" : "global",
          flags: "permanent",
        },
      ]);
    },
  ),
  described(
    "LinkStatuses.net.talos.dev",
    "network.LinkStatusController",
    `31 alias? text  32 altNames? text*  1 index number  2 type linkType  3 linkIndex number  4 flags linkFlags  5 hardwareAddr mac
     30 permanentAddr mac  6 broadcastAddr mac  7 mtu number  8 queueDisc text  9 masterIndex? number  10 operationalState operational
     11 kind text  12 slaveKind text  13 busPath? text  14 pciID? text  15 driver? text  16 driverVersion? text  17 firmwareVersion? text
     18 productID? text  19 vendorID? text  20 product? text  21 vendor? text  22 linkState bool  23 speedMbit? number  24 port port
     25 duplex duplex  26 vlan? { 1 vlanID number  2 vlanProtocol vlanProtocol }
     28 bondMaster? { 1 mode bondMode  2 xmitHashPolicy bondHash  3 lacpRate lacpRate  4 arpValidate arpValidate  5 arpAllTargets arpTargets
                      7 primaryReselect primaryReselect  8 failOverMac failOverMac  9 adSelect? adSelect  10 miimon? number  21 useCarrier? bool }`,
    ({ machine }) => linksOf(machine).map(({ name, ...spec }) => [name, spec]),
  ),
  described(
    "RouteStatuses.net.talos.dev",
    "network.RouteStatusController",
    `1 family family  2 dst prefix  3 src ip  4 gateway ip  5 outLinkIndex? number  6 outLinkName? text  7 table routingTable  8 priority number
     9 scope scope  10 type routeType  11 flags routeFlags  12 protocol routeProtocol  13 mtu? number`,
    (called) => {
      const { addresses, gateway } = networkOf(called.machine);
      const links = linksOf(called.machine);
      const out = (link: string) => ({ outLinkName: link, outLinkIndex: links.find((one) => one.name === link)?.index ?? 0 });
      const common = { table: "main", type: "unicast" };
      const near = addresses
        .filter(({ address }) => !/\/(32|128)$/.test(address))
        .map(({ link, address }) => {
          const dst = networkPart(address);
          const spec = { family: family(address), dst, src: address.split("/")[0], ...out(link), ...common };
          return [`${link}/${family(address)}//${dst}/0`, { ...spec, scope: "link", protocol: "kernel" }] as const;
        });
      const [first] = addresses;
      if (gateway === undefined || !first) return near;
      const spec = { family: family(gateway), gateway, ...out(first.link), ...common, priority: 1024 };
      return [...near, [`${first.link}/${family(gateway)}/${gateway}//1024`, { ...spec, scope: "global", protocol: "static" }]];
    },
  ),
  described(
    "LinkSpecs.net.talos.dev",
    // The only controller that is named after what it writes.
    "LinkMergeControllers.net.talos.dev",
    "1 name text  2 logical bool  3 up bool  4 mtu number  5 kind text  6 type linkType  14 layer configLayer",
    ({ machine, boot }) =>
      linksOf(machine).map(({ name, kind, type }) => {
        // Links that exist before any config are only switched on.
        const logical = typeof kind === "string" && kind !== "";
        const layer = logical ? "configuration" : name === "lo" || boot.config === undefined ? "default" : "configuration";
        return [name, { name, logical, up: true, mtu: 0, kind: logical ? kind : "", type: logical ? type : "netrom", layer }];
      }),
  ),
  described(
    "HostDNSConfigs.net.talos.dev",
    "network.HostDNSConfigController",
    "1 enabled bool  2 listenAddresses? addressPort*  3 serviceHostDNSAddress? ip  4 resolveMemberNames? bool  5@14 serviceHostDNSAddressV6? ip",
    (called) => {
      const config = configOf(called);
      const { enabled, addresses } = hostDns(config);
      return [["config", { enabled: config === undefined || enabled, listenAddresses: addresses.map((one) => `${one}:53`) }]];
    },
  ),
  {
    type: "DNSUpstreams.net.talos.dev",
    owner: "network.DNSUpstreamController",
    // A connection cannot be encoded as a message: clients only get its YAML.
    items: ({ machine }) =>
      resolversOf(machine).map((server, place) => ({
        id: `#${String(place).padStart(3, "0")} ${server}`,
        yaml: yamlOf({ addr: `${server}:53`, healthy: "true" }),
        proto: Buffer.alloc(0),
      })),
  },
  described(
    "HostnameStatuses.net.talos.dev",
    "network.HostnameSpecController",
    "1 hostname text  2 domainname text",
    ({ machine }) => {
      const [hostname = "", ...domain] = networkOf(machine).hostname.split(".");
      return [["hostname", { hostname, domainname: domain.join(".") }]];
    },
  ),
  described(
    "NetworkStatuses.net.talos.dev",
    "network.StatusController",
    "1 addressReady bool  2 connectivityReady bool  3 hostnameReady bool  4 etcFilesReady bool",
    () => [["status", { addressReady: true, connectivityReady: true, hostnameReady: true, etcFilesReady: true }]],
  ),
  described(
    "ResolverStatuses.net.talos.dev",
    "network.ResolverSpecController",
    "4@14 nameServers? { 1 addr ip  2 protocol number  3 tlsServerName text }*  1 dnsServers ip*  2 searchDomains text*",
    ({ machine }) => [["resolvers", { dnsServers: resolversOf(machine), searchDomains: [] }]],
  ),
];

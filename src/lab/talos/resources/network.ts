import ipaddr from "ipaddr.js";
import type { Called } from "../api/caller.ts";
import { heldVips } from "../etcd/vip.ts";
import { networkOf } from "../machine/network.ts";
import type { Layout } from "./layout.ts";
import { described, type ResourceType } from "./resource.ts";

const NODE_ADDRESSES: Layout = [
  [1, "addresses", "prefixes"],
  [2, "sortAlgorithm", { numbers: { v1: 0, v2: 1 } }],
];

function prefixes(called: Called): string[] {
  const own = networkOf(called.machine).addresses.map(({ address }) => address);
  return [...own, ...heldVips(called.lab, called.machine).map((address) => `${address}/32`)];
}

function broadcast(address: string): string | undefined {
  return ipaddr.IPv4.isValidCIDR(address) ? ipaddr.IPv4.broadcastAddressFromCIDR(address).toString() : undefined;
}

export const networkTypes: readonly ResourceType[] = [
  described({ type: "NodeAddresses.net.talos.dev", namespace: "network" }, NODE_ADDRESSES, (called) => {
    const own = networkOf(called.machine).addresses.map(({ address }) => address);
    const [first] = own;
    const sets: Record<string, string[]> = {
      default: first === undefined ? [] : [first],
      current: prefixes(called),
      accumulative: own,
      routed: prefixes(called),
      "current-no-k8s": prefixes(called),
      "accumulative-no-k8s": own,
      "routed-no-k8s": prefixes(called),
    };
    return Object.entries(sets).map(([id, addresses]) => [id, { addresses, sortAlgorithm: "v1" }]);
  }),
  described(
    { type: "AddressStatuses.net.talos.dev", namespace: "network", aliases: ["address", "addresses"] },
    [
      [1, "address", "prefix"],
      [2, "local", "ip"],
      [3, "broadcast", "ip"],
      [6, "linkIndex", "uint"],
      [7, "linkName", "string"],
      [8, "family", { numbers: { inet4: 2, inet6: 10 } }],
      [9, "scope", { numbers: { global: 0, host: 254 } }],
      [10, "flags", { numbers: { permanent: 128 } }],
    ],
    (called) => {
      const { addresses, vips } = networkOf(called.machine);
      const held = heldVips(called.lab, called.machine).map((address) => ({
        link: vips.find((vip) => vip.address === address)?.link ?? "",
        address: `${address}/32`,
      }));
      const links = called.machine.hardware.links.map((link) => link.name);
      return [...addresses, ...held].map(({ link, address }) => [
        `${link}/${address}`,
        {
          address,
          local: address.split("/")[0],
          broadcast: broadcast(address),
          linkIndex: links.indexOf(link) + 2,
          linkName: link,
          family: address.includes(":") ? "inet6" : "inet4",
          scope: "global",
          flags: "permanent",
        },
      ]);
    },
  ),
  described(
    { type: "LinkStatuses.net.talos.dev", namespace: "network", aliases: ["link", "links"] },
    [
      [1, "index", "uint"],
      [2, "type", { numbers: { ether: 1, loopback: 772 } }],
      [5, "hardwareAddr", "mac"],
      [7, "mtu", "uint"],
      [8, "queueDisc", "string"],
      [10, "operationalState", { numbers: { unknown: 0, down: 2, up: 6 } }],
      [11, "kind", "string"],
      [12, "slaveKind", "string"],
      [15, "driver", "string"],
      [22, "linkState", "bool"],
      [30, "permanentAddr", "mac"],
      [31, "alias", "string"],
    ],
    ({ machine }) => {
      const aliases = Object.entries(networkOf(machine).aliases);
      return machine.hardware.links.map((link, index) => [
        link.name,
        {
          alias: aliases.find(([, name]) => name === link.name)?.[0],
          index: index + 2,
          type: "ether",
          linkIndex: 0,
          flags: "UP,BROADCAST,RUNNING,MULTICAST,LOWER_UP",
          hardwareAddr: link.mac,
          permanentAddr: link.mac,
          broadcastAddr: "ff:ff:ff:ff:ff:ff",
          mtu: 1500,
          queueDisc: "pfifo_fast",
          operationalState: "up",
          kind: "",
          slaveKind: "",
          busPath: `0000:00:${(0x12 + index).toString(16)}.0`,
          driver: link.driver,
          linkState: true,
          port: "Other",
          duplex: "Unknown",
        },
      ]);
    },
  ),
  described(
    { type: "HostnameStatuses.net.talos.dev", namespace: "network", aliases: ["hostname"] },
    [
      [1, "hostname", "string"],
      [2, "domainname", "string"],
    ],
    ({ machine }) => {
      const [hostname = "", ...domain] = networkOf(machine).hostname.split(".");
      return [["hostname", { hostname, domainname: domain.join(".") }]];
    },
  ),
  described(
    { type: "NetworkStatuses.net.talos.dev", namespace: "network" },
    [
      [1, "addressReady", "bool"],
      [2, "connectivityReady", "bool"],
      [3, "hostnameReady", "bool"],
      [4, "etcFilesReady", "bool"],
    ],
    () => [["status", { addressReady: true, connectivityReady: true, hostnameReady: true, etcFilesReady: true }]],
  ),
  described(
    { type: "ResolverStatuses.net.talos.dev", namespace: "network" },
    [
      [1, "dnsServers", "ips"],
      [2, "searchDomains", "strings"],
    ],
    ({ machine }) => [
      ["resolvers", { dnsServers: networkOf(machine).nameservers.filter((one) => ipaddr.isValid(one)), searchDomains: [] }],
    ],
  ),
];

import { contains, parseCidr, parseIpv4 } from "@talosmith/lib/cidr.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { interfacesIn, withBridge } from "./interfaces.ts";
import { freeRange, type NatPlan, wayOut } from "./nat.ts";

const PLAN: NatPlan = {
  bridge: "vmbr10",
  cidr: "10.10.0.0/24",
  dhcp: false,
  host: "pve1",
  address: "10.10.0.1",
  range: undefined,
};

/** A file as the installer and the web interface of Proxmox VE write it, with a bond and a comment. */
const INTERFACES = `auto lo
iface lo inet loopback

iface eno1 inet manual

auto bond0
iface bond0 inet manual
	bond-slaves eno1 eno2
	bond-mode 802.3ad

auto vmbr0
iface vmbr0 inet static
	address 192.168.122.70/24
	gateway 192.168.122.1
	bridge-ports bond0
	bridge-stp off
	bridge-fd 0
#the only way in

source /etc/network/interfaces.d/*
`;

test("a bridge is added at the end, and every byte before stays", () => {
  const text = withBridge(INTERFACES, PLAN, "vmbr0");
  expect(text.startsWith(INTERFACES)).toBe(true);
  // The lines of the manual's own example of masquerading, section "Masquerading (NAT) with iptables".
  expect(text.slice(INTERFACES.length)).toBe(`
auto vmbr10
iface vmbr10 inet static
	address 10.10.0.1/24
	bridge-ports none
	bridge-stp off
	bridge-fd 0
	post-up echo 1 > /proc/sys/net/ipv4/ip_forward
	post-up iptables -t nat -A POSTROUTING -s '10.10.0.0/24' -o vmbr0 -j MASQUERADE
	post-down iptables -t nat -D POSTROUTING -s '10.10.0.0/24' -o vmbr0 -j MASQUERADE
#talosmith: network of the nodes, with a way out
`);
});

test("interfaces are read with their options, whatever blanks are between", () => {
  expect(interfacesIn(INTERFACES).map(({ name }) => name)).toEqual(["lo", "eno1", "bond0", "vmbr0"]);
  expect(interfacesIn(INTERFACES.replace("\tgateway 192", "        gateway\t 192")).at(-1)?.lines).toEqual([
    "address 192.168.122.70/24",
    "gateway 192.168.122.1",
    "bridge-ports bond0",
    "bridge-stp off",
    "bridge-fd 0",
  ]);
});

const ROUTES = [
  { to: "default", device: "vmbr0" },
  { to: "192.168.122.0/24", device: "vmbr0" },
];

test("packets leave where the default route leads", () => {
  expect(wayOut(PLAN, ROUTES)).toBe("vmbr0");
  expect(wayOut(PLAN, [...ROUTES, { to: "10.10.0.0/24", device: "vmbr10" }])).toBe("vmbr0");
});

test.each(["10.10.0.0/16", "10.10.0.0/24", "10.10.0.128/25", "10.10.0.7"])(
  "a way to %s that is there already is in its way",
  (to) => {
    expect(() => wayOut(PLAN, [...ROUTES, { to, device: "wg0" }])).toThrow(`pve1 already reaches ${to} through wg0`);
  },
);

test("DHCP addresses come from an unused range", () => {
  const taken = [1, 5, 11, 21, 22].map((last) => parseIpv4(`10.10.0.${last}`) as number);
  expect(freeRange(parseCidr("10.10.0.0/24") as never, taken)).toEqual({ first: "10.10.0.205", last: "10.10.0.254" });
});

test("no DHCP address is in use or belongs to the network itself", () => {
  const network = parseCidr("10.10.0.0/26") as NonNullable<ReturnType<typeof parseCidr>>;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: network.network, max: network.broadcast })), (taken) => {
      const range = freeRange(network, taken);
      if (!range) return expect(new Set(taken).size).toBeGreaterThanOrEqual(62);
      const [first = 0, last = 0] = [range.first, range.last].map((text) => parseIpv4(text) ?? 0);
      expect(first).toBeLessThanOrEqual(last);
      expect(contains(network, first) && first > network.network && last < network.broadcast).toBe(true);
      expect(taken.filter((one) => one >= first && one <= last)).toEqual([]);
    }),
  );
});

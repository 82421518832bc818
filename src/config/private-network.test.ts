import { expect, test } from "vitest";
import { changed, loadVps, VPS } from "./testing/config-in-memory.ts";

/** One control plane and two workers on addresses of their own, each with these further cards; their MAC addresses do not matter here. */
function servers(cards: readonly (string | undefined)[]): string {
  const lines = cards.map((card, n) => {
    const nics = card === undefined ? "" : `, mac: "BC:24:11:00:00:1${n}", nics: [{ mac: "BC:24:11:00:01:1${n}", ${card} }]`;
    return `  - { name: s-${n}, role: ${n === 0 ? "controlplane" : "worker"}, ip: 203.0.113.1${n}/32, gateway: 172.31.1.1${nics} }\n`;
  });
  const [head = ""] = VPS.split("nodes:");
  return changed(
    { "203.0.113.11": "203.0.113.10", "  cidr: 203.0.113.0/24\n  gateway: 203.0.113.1\n": "" },
    `${head}nodes:\n${lines.join("")}`,
  );
}

function seen(cards: readonly (string | undefined)[]) {
  const { network, nodes, cluster } = loadVps(servers(cards)).config;
  return { cidr: network.privateCidr, ips: nodes.map(({ privateIp }) => privateIp), kubespan: cluster.kubespan };
}

test("a network that every server has a card in is the private network, and KubeSpan is not needed", () => {
  expect(seen(["ip: 10.20.0.10/24", "ip: 10.20.0.11/24", "ip: 10.20.0.12/24"])).toEqual({
    cidr: "10.20.0.0/24",
    ips: ["10.20.0.10", "10.20.0.11", "10.20.0.12"],
    kubespan: false,
  });
});

test("at Hetzner the address is alone, and a route says which network it is in", () => {
  const card = (last: number) => `ip: 10.0.0.${last}/32, routes: [{ to: 10.0.0.0/16, via: 10.0.0.1 }]`;
  expect(seen([card(2), card(3), card(4)])).toEqual({
    cidr: "10.0.0.0/16",
    ips: ["10.0.0.2", "10.0.0.3", "10.0.0.4"],
    kubespan: false,
  });
});

test("a VLAN on a further card can be it", () => {
  const card = (last: number) => `vlans: [{ id: 4000, ip: 10.20.0.${last}/24 }]`;
  expect(seen([card(10), card(11), card(12)]).cidr).toBe("10.20.0.0/24");
});

test.each([
  ["a server without a card", ["ip: 10.20.0.10/24", undefined, "ip: 10.20.0.12/24"]],
  ["a server in another network", ["ip: 10.20.0.10/24", "ip: 10.30.0.11/24", "ip: 10.20.0.12/24"]],
  ["addresses of another family only", ['ip: "fd00::10/64"', 'ip: "fd00::11/64"', 'ip: "fd00::12/64"']],
  ["cards that ask for their address", ["dhcp: true", "dhcp: true", "dhcp: true"]],
])("with %s there is no private network, and nodes use KubeSpan", (_, cards) => {
  expect(seen(cards)).toEqual({ cidr: undefined, ips: [undefined, undefined, undefined], kubespan: true });
});

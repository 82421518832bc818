import { expect, test } from "vitest";
import { changed, loadMetal, loadVps, METAL, VPS } from "../testing/config-in-memory.ts";
import { type Case, toldAlone } from "../testing/told-alone.ts";

const KEY = Buffer.alloc(32, 1).toString("base64");
const OTHER = Buffer.alloc(32, 2).toString("base64");
const BASE = `${VPS}wireguard:
  cidr: 10.250.0.0/24
  peers:
    - { name: laptop, publicKey: "${KEY}", ip: 10.250.0.100 }
    - { name: phone, publicKey: "${OTHER}", ip: 10.250.0.101 }
`;

const CHOOSE = "choose a network that nothing else is in, such as 10.250.0.0/24";
const cases: Case[] = [
  [
    "the services' network",
    { "10.250.0.0/24": "10.96.8.0/24", "10.250.0.100": "10.96.8.100", "10.250.0.101": "10.96.8.101" },
    "18:9",
    "wireguard.cidr overlaps cluster.serviceSubnets",
    CHOOSE,
  ],
  [
    "the nodes' network",
    { "10.250.0.0/24": "203.0.113.0/25", "10.250.0.100": "203.0.113.100", "10.250.0.101": "203.0.113.101" },
    "18:9",
    "wireguard.cidr overlaps nodes[0].ip",
    CHOOSE,
  ],
  [
    "a network that is too small",
    { "10.250.0.0/24": "10.250.0.0/30" },
    "18:9",
    "wireguard.cidr has no room for 3 nodes and 2 peers",
    "use a shorter prefix length, such as 10.250.0.0/24",
  ],
  [
    "an address outside",
    { "10.250.0.100": "10.251.0.100" },
    "20:86",
    "wireguard.peers[0].ip is outside wireguard.cidr",
    "choose an address from 10.250.0.4 to 10.250.0.254",
  ],
  [
    "the network's own address",
    { "10.250.0.100": "10.250.0.255" },
    "20:86",
    "wireguard.peers[0].ip is the network's broadcast address, which no machine can have",
    "choose an address from 10.250.0.4 to 10.250.0.254",
  ],
  [
    "a node's address",
    { "10.250.0.100": "10.250.0.3" },
    "20:86",
    "wireguard.peers[0].ip is the address of worker-2",
    "choose another from 10.250.0.4 to 10.250.0.254: nodes have the first ones",
  ],
  [
    "an address twice",
    { "10.250.0.101": "10.250.0.100" },
    "21:85",
    "wireguard.peers[1].ip is the address of laptop",
    "choose another from 10.250.0.4 to 10.250.0.254: nodes have the first ones",
  ],
  [
    "a name twice",
    { "name: phone": "name: laptop" },
    "21:15",
    "wireguard.peers[1].name is used by another peer",
    "give one of the two another name",
  ],
  [
    "a key twice",
    { [OTHER]: KEY },
    "21:33",
    "wireguard.peers[1].publicKey is used by another peer",
    "give each computer its own key",
  ],
  [
    "half a key",
    { [OTHER]: "AgICAgI=" },
    "21:33",
    "wireguard.peers[1].publicKey is not a WireGuard public key",
    "use the output of this command, in quotes:\nwg pubkey < private.key",
  ],
  [
    "KubeSpan's port",
    { "  peers:": "  port: 51820\n  peers:" },
    "19:9",
    "wireguard.port is KubeSpan's own port",
    "choose another, or remove it to use 51821",
  ],
  [
    "a missing network",
    { "  cidr: 10.250.0.0/24\n": "" },
    "17:1",
    "wireguard.cidr is missing",
    "add under wireguard:\ncidr: 10.250.0.0/24",
  ],
];

toldAlone(cases, BASE);

test("wireguard is available on every platform", () => {
  const peers = [
    { name: "laptop", publicKey: KEY, ip: "10.250.0.100" },
    { name: "phone", publicKey: OTHER, ip: "10.250.0.101" },
  ];
  const expected = { cidr: "10.250.0.0/24", port: 51_821, peers };
  expect(loadVps(BASE).config.wireguard).toEqual(expected);
  expect(loadMetal(`${METAL}${BASE.slice(VPS.length)}`).config.wireguard).toEqual(expected);
  expect(loadVps(VPS).config).not.toHaveProperty("wireguard");
});

test("a WireGuard network may be IPv6", () => {
  const text = changed(
    { "10.250.0.0/24": "fd00:250::/64", "10.250.0.100": "fd00:250::100", "10.250.0.101": "FD00:250:0::101" },
    BASE,
  );
  expect(loadVps(text).config.wireguard?.peers.map(({ ip }) => ip)).toEqual(["fd00:250::100", "fd00:250::101"]);
});

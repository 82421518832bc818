import { createHmac, createPrivateKey, createPublicKey, diffieHellman } from "node:crypto";
import { contains, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { WireguardConfig } from "../../config/config.ts";
import { plainNode } from "../../config/testing/plain-node.ts";
import { printConfig } from "../config/print.ts";
import { testBundle } from "../config/testing/test-bundle.ts";
import { wireguardAddresses } from "./addresses.ts";
import { wireguardKeys } from "./keys.ts";
import { keyLineOf, peerFile, peerFileName } from "./peer-file.ts";
import { wireguardDocument } from "./wireguard.ts";

const { secrets } = testBundle().input;
const LAPTOP = { name: "laptop", publicKey: "xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg=", ip: "10.99.0.100" };
const wireguard: WireguardConfig = { cidr: "10.99.0.0/24", port: 51821, peers: [LAPTOP] };
const nodes = [
  plainNode({ name: "cp-1", role: "controlplane", ip: "203.0.113.11" }),
  plainNode({ name: "worker-1", role: "worker", ip: "2001:db8::21" }),
];
const given = { cluster: { name: "rented" }, network: {}, nodes, secrets };

test("nodes have the first addresses, in their order, in either family", () => {
  expect([...wireguardAddresses(wireguard, nodes)]).toEqual([
    ["cp-1", "10.99.0.1"],
    ["worker-1", "10.99.0.2"],
  ]);
  expect(wireguardAddresses({ cidr: "fd00:99::/64" }, nodes).get("worker-1")).toBe("fd00:99::2");
});

test("every node has an address of its own inside the network", () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/);
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 200 }), fc.integer({ min: 16, max: 24 }), (names, prefix) => {
      const network = parseNetwork(`10.99.0.0/${prefix}`);
      const addresses = [
        ...wireguardAddresses(
          { cidr: `10.99.0.0/${prefix}` },
          names.map((one) => ({ name: one })),
        ).values(),
      ];
      expect(new Set(addresses).size).toBe(names.length);
      for (const address of addresses)
        expect(network && contains(network, parseIp(address) ?? { family: 6, value: 0n })).toBe(true);
    }),
    { numRuns: 30 },
  );
});

/** RFC 5869 for one block of output, by hand. */
function hkdf(secret: Buffer, info: string): Buffer {
  const mac = (key: Buffer, text: Buffer) => createHmac("sha256", key).update(text).digest();
  return mac(mac(Buffer.alloc(32), secret), Buffer.concat([Buffer.from(info), Buffer.from([1])]));
}

test("a node's private key is HKDF-SHA256 of the cluster's secret, clamped as wg genkey does it", () => {
  const bytes = hkdf(Buffer.from(secrets.cluster.secret.reveal(), "base64"), "talosmith wireguard cp-1");
  bytes.writeUInt8(bytes.readUInt8(0) & 248, 0);
  bytes.writeUInt8((bytes.readUInt8(31) & 127) | 64, 31);
  expect(wireguardKeys(secrets, "cp-1").privateKey.reveal()).toBe(bytes.toString("base64"));
});

test("the keys of two nodes differ, and agree with each other as X25519 keys do", () => {
  const [one, other] = ["cp-1", "worker-1"].map((name) => wireguardKeys(secrets, name));
  if (one === undefined || other === undefined) throw new Error("no keys");
  const url = (text: string) => Buffer.from(text, "base64").toString("base64url");
  const shared = (mine: typeof one, theirs: typeof one) =>
    diffieHellman({
      privateKey: createPrivateKey({
        key: { kty: "OKP", crv: "X25519", d: url(mine.privateKey.reveal()), x: url(mine.publicKey) },
        format: "jwk",
      }),
      publicKey: createPublicKey({ key: { kty: "OKP", crv: "X25519", x: url(theirs.publicKey) }, format: "jwk" }),
    }).toString("hex");
  expect(one.publicKey).not.toBe(other.publicKey);
  expect(shared(one, other)).toBe(shared(other, one));
});

test("a private key does not print itself", () => {
  expect(JSON.stringify(wireguardKeys(secrets, "cp-1"))).toContain('"privateKey":"(secret)"');
});

test("a node's document has its key, port and address, and the users as peers", () => {
  const { privateKey } = wireguardKeys(secrets, "cp-1");
  expect(printConfig([wireguardDocument(wireguard, given, "cp-1")])).toBe(`apiVersion: v1alpha1
kind: WireguardConfig
name: wg0
privateKey: ${privateKey.reveal()}
listenPort: 51821
peers:
    - publicKey: ${LAPTOP.publicKey}
      allowedIPs:
        - 10.99.0.100/32
up: true
mtu: 1420
addresses:
    - address: 10.99.0.1/24
`);
});

test("its packets fit into those of the network below", () => {
  expect(wireguardDocument(wireguard, { ...given, network: { mtu: 1450 } }, "cp-1")).toMatchObject({ mtu: 1370 });
});

// wg-quick(8): [Interface] has PrivateKey and Address, each [Peer] PublicKey, Endpoint and AllowedIPs; `#` begins a comment.
test("a person's file has every node as a peer, and a place for their key", () => {
  expect(
    peerFile(wireguard, given, LAPTOP, undefined),
  ).toBe(`# How laptop reaches the nodes of rented: wg-quick up ./wg-laptop.conf
[Interface]
# PrivateKey = (yours, the one that belongs to ${LAPTOP.publicKey})
Address = 10.99.0.100/24

[Peer]
# cp-1
PublicKey = ${wireguardKeys(secrets, "cp-1").publicKey}
Endpoint = 203.0.113.11:51821
AllowedIPs = 10.99.0.1/32

[Peer]
# worker-1
PublicKey = ${wireguardKeys(secrets, "worker-1").publicKey}
Endpoint = [2001:db8::21]:51821
AllowedIPs = 10.99.0.2/32
`);
});

test("the user's private key is kept, and a comment does not count as one", () => {
  const first = peerFile(wireguard, given, LAPTOP, undefined);
  expect(keyLineOf(first)).toBeUndefined();
  const filled = first.replace(/^# PrivateKey.*$/m, "PrivateKey = QUJD");
  expect(keyLineOf(filled)).toBe("PrivateKey = QUJD");
  expect(peerFile(wireguard, given, LAPTOP, keyLineOf(filled))).toBe(filled);
});

// wg-quick takes (^|/)([a-zA-Z0-9_=+.-]{1,15})\.conf$
test("wg-quick takes the file's name", () => {
  expect(peerFileName({ name: "somebody-new" })).toMatch(/(^|\/)([a-zA-Z0-9_=+.-]{1,15})\.conf$/);
});

import type { Socket } from "node:net";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { testWorld } from "../../../test/support/test-world.ts";
import { VolatileFiles } from "../../../test/support/volatile-files.ts";
import { isLocal, lead, type Wire, wiredWorld } from "./wire.ts";
import { readWire } from "./wire-file.ts";
import type { Dial, Net, Trust } from "./world.ts";

function read(text: string): Wire {
  const files = new VolatileFiles();
  files.write("/wire.yaml", Buffer.from(text), 0o600);
  files.write("/ca.pem", Buffer.from("PEM"), 0o600);
  return readWire(files, "/wire.yaml");
}

/** The less specific rules come first, so that the order of the file cannot be what decides. */
const WIRE = `connect:
  "10.10.0.0/24": "127.80.1.0/24"
  "10.10.0.0/24:22": "127.80.1.0/24:2222"
  "10.10.0.128/25": "127.80.2.128/25"
  "10.10.0.130:*": "127.80.3.1:*"
  "10.10.0.131/32": "127.80.4.1/32"
  "10.10.0.131:*": "127.80.4.2:*"
  "192.168.122.70:8006": "127.80.1.1:8006"
  "192.168.122.70:22": "127.80.1.1:2222"
  "pve.example:*": "127.80.1.1:*"
  "fixed.example:*": "127.80.1.1:9000"
  "[fd00::1]:443": "[::1]:8443"
  "10.20.0.0/24": "127.90.0.0/24:443"
  "10.30.0.0/24:6443": "127.0.0.1:20000-20255"
`;

test.each([
  ["a host at a port", "192.168.122.70", 8006, "127.80.1.1", 8006],
  ["a host at another port", "192.168.122.70", 22, "127.80.1.1", 2222],
  ["a host at any port", "pve.example", 8006, "127.80.1.1", 8006],
  ["a host in capital letters", "PVE.example", 8006, "127.80.1.1", 8006],
  ["any port to one port", "fixed.example", 8006, "127.80.1.1", 9000],
  ["an IPv6 host", "fd00::1", 443, "::1", 8443],
  ["a network to as many ports", "10.30.0.11", 6443, "127.0.0.1", 20_011],
  ["a network, at the same offset", "10.10.0.11", 50000, "127.80.1.11", 50000],
  ["the first address of a network", "10.10.0.0", 50000, "127.80.1.0", 50000],
  ["the last address of a network", "10.10.0.255", 50000, "127.80.2.255", 50000],
  ["a network at one port", "10.20.0.7", 50000, "127.90.0.7", 443],
  ["one port before any port", "10.10.0.11", 22, "127.80.1.11", 2222],
  ["a small network before a large one", "10.10.0.200", 50000, "127.80.2.200", 50000],
  ["a small network before a large one with a port", "10.10.0.200", 22, "127.80.2.200", 22],
  ["a host before a network", "10.10.0.130", 22, "127.80.3.1", 22],
  ["a host before a network of one address", "10.10.0.131", 22, "127.80.4.2", 22],
  ["this machine, without a rule", "127.0.0.1", 80, "127.0.0.1", 80],
  ["this machine by name", "localhost", 80, "localhost", 80],
  ["this machine by its IPv6 address", "::1", 80, "::1", 80],
])("the wire redirects %s", (_, host, port, toHost, toPort) => {
  expect(lead(read(WIRE), host, port)).toEqual({ host: toHost, port: toPort });
});

test("a host's rule for one port goes before its rule for any port, in either order", () => {
  const rules = ['"a:*": "127.0.0.1:*"', '"a:1": "127.0.0.2:1"'];
  for (const order of [rules, [...rules].reverse()])
    expect(lead(read(`connect: { ${order.join(", ")} }`), "a", 1)).toEqual({ host: "127.0.0.2", port: 1 });
});

test.each([
  ["192.168.122.70", 443],
  ["10.10.1.11", 50000],
  ["factory.talos.dev", 443],
  ["127.evil.example", 443],
])("%s:%i, which has no rule, is refused with the line that would allow it", (host, port) => {
  expect(() => lead(read(WIRE), host, port)).toThrow(
    expect.objectContaining({ kind: "user", code: "WIRE_UNMAPPED", hint: expect.stringContaining(`"${host}:${port}": `) }),
  );
});

test("no rule leads off this machine, for any address", () => {
  const wire = read(WIRE);
  const host = fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain(), fc.constantFrom("localhost", "10.10.0.9"));
  fc.assert(
    fc.property(host, fc.integer({ min: 1, max: 65_535 }), (asked, port) => {
      let led: string;
      try {
        led = lead(wire, asked, port).host;
      } catch {
        return;
      }
      expect(led).toMatch(/^(127\.\d+\.\d+\.\d+|localhost|::1)$/);
    }),
  );
});

test.each([
  ["localhost", true],
  ["::1", true],
  ["127.0.0.1", true],
  ["127.255.255.254", true],
  ["126.0.0.1", false],
  ["12.7.0.1", false],
  ["127.evil.example", false],
  ["127.0.0", false],
  ["localhost.evil.example", false],
  ["::2", false],
])("%s is an address of this machine: %s", (host, expected) => {
  expect(isLocal(host)).toBe(expected);
});

const LEADING = 'connect: { "10.0.0.1:443": "127.0.0.1:8443" }';

/** A wired world whose dials are noted; those with TLS fail with `refused`. */
function wired(wire: string, refused?: Error) {
  const dials: [Dial, AbortSignal | undefined][] = [];
  const destroy = vi.fn();
  const plain = { destroy } as unknown as Socket;
  const tls = {} as Socket;
  const dial: Net["dial"] = async (to, signal) => {
    dials.push([to, signal]);
    if (to.tls === undefined) return plain;
    if (refused) throw refused;
    return tls;
  };
  const world = testWorld();
  const led = wiredWorld({ ...world, net: { ...world.net, dial } }, read(wire));
  return { world, led, dials, destroy, plain, tls };
}

test("a plain connection is dialled at the redirected address, with everything else as requested", async () => {
  const { led, dials, plain } = wired(LEADING);
  const { signal } = new AbortController();
  expect(await led.net.dial({ host: "10.0.0.1", port: 443, localAddress: "127.0.0.9" }, signal)).toBe(plain);
  expect(dials).toEqual([[{ host: "127.0.0.1", port: 8443, localAddress: "127.0.0.9" }, signal]]);
});

test("TLS is spoken with the requested address over the redirected connection", async () => {
  const { led, dials, plain, tls, destroy } = wired(LEADING);
  const { signal } = new AbortController();
  const to: Dial = { host: "10.0.0.1", port: 443, tls: { trust: { by: "ca", pem: "own" }, serverName: "pve" } };
  expect(await led.net.dial(to, signal)).toBe(tls);
  expect(dials).toEqual([
    [{ host: "127.0.0.1", port: 8443 }, signal],
    [{ ...to, over: plain }, signal],
  ]);
  expect(destroy).not.toHaveBeenCalled();
});

test("the connection below is closed when TLS fails", async () => {
  const refused = new Error("certificate");
  const { led, destroy } = wired(LEADING, refused);
  await expect(led.net.dial({ host: "10.0.0.1", port: 443, tls: { trust: { by: "system" } } })).rejects.toBe(refused);
  expect(destroy).toHaveBeenCalledOnce();
});

test("a connection through a tunnel is not redirected a second time", async () => {
  const { led, dials, plain } = wired(LEADING);
  const to: Dial = { host: "10.9.9.9", port: 443, over: plain };
  const { signal } = new AbortController();
  await led.net.dial(to, signal);
  expect(dials).toEqual([[to, signal]]);
});

test("an address without a rule is not dialled", async () => {
  const { led, dials } = wired(LEADING);
  await expect(led.net.dial({ host: "10.0.0.2", port: 443 })).rejects.toMatchObject({ code: "WIRE_UNMAPPED" });
  expect(dials).toEqual([]);
});

const FINGERPRINT: Trust = { by: "fingerprint", fingerprint: "AA:BB" };

test.each<[string, string, Trust, Trust]>([
  ["the wire's authority in place of the system's", "ca: ca.pem", { by: "system" }, { by: "ca", pem: "PEM" }],
  ["the system's authorities without one in the wire", "", { by: "system" }, { by: "system" }],
  ["a fingerprint, whatever the wire says", "ca: ca.pem", FINGERPRINT, FINGERPRINT],
])("a redirected connection trusts %s", async (_, line, trust, expected) => {
  const { led, dials } = wired(`${LEADING}\n${line}`);
  await led.net.dial({ host: "10.0.0.1", port: 443, tls: { trust } });
  expect(dials.at(-1)?.[0].tls).toEqual({ trust: expected });
});

test("the clock stays the world's own unless the wire scales it", () => {
  const { world, led } = wired(LEADING);
  expect(led.clock).toBe(world.clock);
  const scaled = wired(`${LEADING}\ntimeScale: 20`).led.clock;
  const slow = wired(`${LEADING}\ntimeScale: 1`).led.clock;
  const frozen = vi.spyOn(performance, "now").mockReturnValue(performance.now() + 10);
  expect(scaled.monotonic()).toBeCloseTo(slow.monotonic() * 20);
  frozen.mockRestore();
});

test("everything else of the world stays the same", () => {
  const { world, led } = wired(LEADING);
  expect(led.files).toBe(world.files);
  expect(led.net.listen).toBe(world.net.listen);
});

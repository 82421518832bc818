import fc from "fast-check";
import { expect, test } from "vitest";
import { contains, formatIpv4, isIpv6, isUsable, parseCidr, parseIpv4 } from "./cidr.ts";

test("an address is the same after conversion to a number and back", () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(formatIpv4(parseIpv4(address) ?? -1)).toBe(address);
    }),
  );
});

test.each(["", "10.0.0", "10.0.0.256", "010.0.0.1", "10.0.0.1 ", "10.0.0.1/24", "::1", "1e1.0.0.1"])(
  "%j is not an IPv4 address",
  (text) => {
    expect(parseIpv4(text)).toBeUndefined();
  },
);

test("a parsed network has its network address and its broadcast address", () => {
  const cidr = parseCidr("10.10.0.0/22");
  expect([formatIpv4(cidr?.network ?? 0), formatIpv4(cidr?.broadcast ?? 0)]).toEqual(["10.10.0.0", "10.10.3.255"]);
});

test("an address inside a network with a prefix parses to that network", () => {
  expect(parseCidr("10.10.0.77/24")?.text).toBe("10.10.0.0/24");
});

test.each(["10.0.0.0", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "fd00::/64", "/24"])("%j is not an IPv4 network", (text) => {
  expect(parseCidr(text)).toBeUndefined();
});

test("the network and broadcast addresses are contained, but not usable by a machine", () => {
  const cidr = parseCidr("192.168.1.0/24");
  const of = (last: number) => (parseIpv4("192.168.1.0") ?? 0) + last;
  if (cidr === undefined) throw new Error("not parsed");
  expect([0, 1, 254, 255].map((last) => [contains(cidr, of(last)), isUsable(cidr, of(last))])).toEqual([
    [true, false],
    [true, true],
    [true, true],
    [true, false],
  ]);
  expect(contains(cidr, of(256))).toBe(false);
});

test("isIpv6 accepts IPv6 addresses and nothing else", () => {
  expect(["fd00::1", "::", "10.0.0.1", "host", "fd00::/64"].map(isIpv6)).toEqual([true, true, false, false, false]);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { after, contains, formatIp, isUsable, overlap, parseIp, parseNetwork } from "./ip.ts";

const shown = (text: string) => {
  const ip = parseIp(text);
  return ip && formatIp(ip);
};
const network = (text: string) => parseNetwork(text) ?? expect.fail(`${text} is no network`);

/** RFC 5952 sections 4 and 5. */
test.each([
  ["2001:0db8::0001", "2001:db8::1"],
  ["2001:db8:0:0:0:0:2:1", "2001:db8::2:1"],
  ["2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
  ["2001:0:0:1:0:0:0:1", "2001:0:0:1::1"],
  ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
  ["2001:DB8::AB", "2001:db8::ab"],
  ["::", "::"],
  ["10.10.0.11", "10.10.0.11"],
])("%s is formatted as %s", (text, expected) => {
  expect(shown(text)).toBe(expected);
});

test.each(["10.10.0.300", "10.10.0.011", "fe80::1%eth0", "::ffff:10.0.0.1", "::ffff:a00:1", "1:2:3", "", "fd00::/64", "a"])(
  "%s is not an address",
  (text) => {
    expect(parseIp(text)).toBeUndefined();
  },
);

test("any address parses from its own formatted text", () => {
  const value = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }).filter((one) => one >> 32n !== 0xffffn);
  fc.assert(
    fc.property(value, (one) => {
      const text = formatIp({ family: 6, value: one });
      expect(parseIp(text)).toEqual({ family: 6, value: one });
      expect(new URL(`http://[${text}]/`).hostname).toBe(`[${text}]`);
    }),
  );
});

test("a parsed network has its first and last address, and the address it was written with", () => {
  const six = network("fd00:10::7/64");
  expect([six.text, formatIp(six.address), contains(six, after(six.address, 65_535))]).toEqual([
    "fd00:10::/64",
    "fd00:10::7",
    true,
  ]);
  expect(network("10.10.0.7/24").text).toBe("10.10.0.0/24");
  expect(network("0.0.0.0/0").last).toBe(2n ** 32n - 1n);
});

test.each(["10.10.0.0", "10.10.0.0/33", "fd00::/129", "fd00::/064", "10.0.0.0/8/8", "/8"])("%s is not a network", (text) => {
  expect(parseNetwork(text)).toBeUndefined();
});

test("the last address of an IPv6 network is usable, because IPv6 has no broadcast", () => {
  const ends = (text: string) => {
    const { family, first, last } = network(text);
    return [first, last].map((value) => isUsable(network(text), { family, value }));
  };
  expect([ends("10.0.0.0/24"), ends("fd00::/64")]).toEqual([
    [false, false],
    [false, true],
  ]);
});

test("networks of different families neither contain nor overlap each other", () => {
  expect(overlap(network("0.0.0.0/0"), network("::/0"))).toBe(false);
  expect(overlap(network("10.0.0.0/8"), network("10.96.0.0/12"))).toBe(true);
  expect(contains(network("::/0"), { family: 4, value: 1n })).toBe(false);
});

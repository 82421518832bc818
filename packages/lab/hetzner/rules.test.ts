import { describe, expect, test } from "vitest";
import { Refused } from "./refused.ts";
import { checkRules, letsIn, RULE } from "./rules.ts";
import type { Rule } from "./state.ts";

const tcp = (port: string, ...source_ips: string[]) => ({ direction: "in", protocol: "tcp", port, source_ips });
const check = (...rules: object[]): Rule[] => checkRules(rules.map((rule) => RULE.parse(rule)));
const many = (count: number) => Array.from({ length: count }, (_, at) => `10.${at >> 8}.${at & 255}.0/24`);

test.each([
  ["a port is missing", { ...tcp("80", "0.0.0.0/0"), port: undefined }, "port"],
  ["a range is turned around", tcp("90-80", "0.0.0.0/0"), "port"],
  ["a port is too high", tcp("65536", "0.0.0.0/0"), "port"],
  ["a protocol without ports has ports", { ...tcp("80", "0.0.0.0/0"), protocol: "icmp" }, "port"],
  ["it has no source networks", tcp("80"), "source_ips"],
  ["an address has no prefix", tcp("80", "192.0.2.1"), "source_ips"],
  ["there are bits behind the prefix", tcp("80", "2001:db8::1/64"), "source_ips"],
  ["there are too many networks", tcp("80", ...many(101)), "source_ips"],
  ["the networks are those of the other direction", { ...tcp("80", "0.0.0.0/0"), destination_ips: ["::/0"] }, "direction"],
])("a rule is refused when %s", (_, rule, field) => {
  const fault = (() => {
    try {
      return check(rule);
    } catch (error) {
      return error;
    }
  })();
  expect(fault).toBeInstanceOf(Refused);
  expect(fault).toMatchObject({ code: "invalid_input", details: { fields: [{ name: `rules.0.${field}` }] } });
});

test("at most 50 rules are allowed, and 500 when each network counts", () => {
  const rules = (count: number, networks: number) => Array.from({ length: count }, () => tcp("80", ...many(networks)));
  expect(check(...rules(50, 10))).toHaveLength(50);
  expect(() => check(...rules(51, 1))).toThrow("rules");
  expect(() => check(...rules(6, 84))).toThrow("rules");
});

describe("a rule lets in", () => {
  const rule = (port: string) => check(tcp(port, "192.0.2.0/24", "2001:db8::/32"))[0] as Rule;

  test("connections to its ports, both ends included", () => {
    const lets = [79, 80, 85, 86].map((port) => letsIn(rule("80-85"), port, "192.0.2.9"));
    expect(lets).toEqual([false, true, true, false]);
    expect(letsIn(rule("any"), 65_535, "192.0.2.9")).toBe(true);
  });

  test("connections from its networks of both families, in any notation of an IPv4 address", () => {
    const sources = ["192.0.2.255", "::ffff:192.0.2.1", "2001:db8:1::1", "192.0.3.1", "2001:db9::1"];
    expect(sources.map((source) => letsIn(rule("80"), 80, source))).toEqual([true, true, true, false, false]);
  });
});

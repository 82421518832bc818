import { expect, test } from "vitest";
import { aServer, aWish } from "../testing/a-server.ts";
import { weAreLetIn } from "./own-address.ts";

const problems = (from: string, ...admin: string[]) => weAreLetIn(aServer({ from }), aWish({ admin }));

test.each([
  ["198.51.100.7", "198.51.100.0/24"],
  ["198.51.100.0", "198.51.100.0/24"],
  ["198.51.100.255", "198.51.100.0/24"],
  ["198.51.100.7", "198.51.100.7/32"],
  ["::ffff:198.51.100.7", "198.51.100.0/24"],
  ["::FFFF:198.51.100.7", "198.51.100.0/24"],
  ["2001:db8::7", "2001:db8::/64"],
  ["fe80::7%eth0", "fe80::/64"],
])("a computer at %s is admitted by %s", (from, network) => {
  expect(problems(from, network)).toEqual([]);
});

test("a computer is admitted by any of several networks, and an unreadable one admits none", () => {
  expect(problems("198.51.100.7", "not a network", "192.0.2.0/24", "198.51.100.0/24")).toEqual([]);
  expect(problems("198.51.100.7", "not a network")).toHaveLength(1);
});

test.each([
  ["192.0.2.4", "192.0.2.4", "192.0.2.4/32"],
  ["::ffff:192.0.2.4", "192.0.2.4", "192.0.2.4/32"],
  ["2001:db8::7", "2001:db8::7", "2001:db8::7/128"],
  ["fe80::7%eth0", "fe80::7", "fe80::7/128"],
])("a computer at %s outside of firewall.admin is refused, with the line that admits it", (from, seen, line) => {
  const [problem, ...more] = problems(from, "198.51.100.0/24", "203.0.113.0/24");
  expect(more).toEqual([]);
  expect(problem).toMatchObject({
    code: "OUTSIDE_ADMIN",
    detail: `the server sees this computer at ${seen}\nfirewall.admin is 198.51.100.0/24, 203.0.113.0/24\nNothing was written.`,
    hint: `add to firewall.admin:  - ${line}`,
    where: { file: "firewall.admin" },
  });
});

test("a server that does not report this computer's address is refused, with how to make it do so", () => {
  expect(problems("", "0.0.0.0/0")).toMatchObject([
    {
      code: "OUTSIDE_ADMIN",
      detail: "the server does not report the address of this computer\nfirewall.admin is 0.0.0.0/0\nNothing was written.",
      hint: expect.stringContaining("$SSH_CONNECTION"),
    },
  ]);
});

test("a config without firewall.admin admits every computer", () => {
  const { admin: _, ...open } = aWish();
  expect(weAreLetIn(aServer({ from: "" }), open)).toEqual([]);
});

import { contains, formatIpv4, parseCidr } from "@talosmith/lib/cidr.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { linkContent } from "./link-documents.ts";

const address = fc.integer({ min: 1 << 24, max: 0xdf_ff_ff_ff }).map(formatIpv4);
const isGlobal = (ip: string) => !ip.startsWith("169.254.");

test("a gateway is said to be on the link exactly when none of the link's networks has it", () => {
  const near = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(
      address.filter(isGlobal),
      fc.integer({ min: 8, max: 32 }),
      near,
      address.filter(isGlobal),
      (ip, prefix, last, far) => {
        for (const via of [ip.replace(/\d+$/, String(last)), far]) {
          const cidr = parseCidr(`${ip}/${prefix}`);
          const outside = cidr === undefined || !contains(cidr, Number(parseCidr(`${via}/32`)?.network));
          const { routes } = linkContent({ addresses: [`${ip}/${prefix}`], routes: [{ via }] });
          expect(routes).toEqual(outside ? [{ destination: `${via}/32` }, { gateway: via }] : [{ gateway: via }]);
        }
      },
    ),
  );
});

test("a gateway outside is said to be on the link once, whatever goes through it", () => {
  const routes = [
    { to: "2001:db8:1::/48", via: "2001:db8::1" },
    { to: "2001:db8:2::/48", via: "2001:db8::1" },
  ];
  expect(linkContent({ routes }).routes).toEqual([
    { destination: "2001:db8::1/128" },
    { destination: "2001:db8:1::/48", gateway: "2001:db8::1" },
    { destination: "2001:db8:2::/48", gateway: "2001:db8::1" },
  ]);
});

test("a link that says nothing is up", () => {
  expect(linkContent({})).toEqual({ up: true });
});

import { asTalosmithError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import type { VpsNodeConfig } from "../../config/config-on-vps.ts";
import { plainVpsNode } from "../../config/testing/plain-node.ts";
import { type HetznerServer, serverFor } from "./servers.ts";

const server = (id: number, name: string, ...addresses: string[]): HetznerServer => ({
  id,
  name,
  status: "running",
  rescueEnabled: false,
  addresses,
  firewalls: [],
});
const SERVERS = [
  server(42, "web", "203.0.113.11", "2001:db8:42::/64"),
  server(43, "db", "203.0.113.12", "2001:db8:43::/64"),
  server(44, "42", "203.0.113.13"),
];
const node = (own: Partial<VpsNodeConfig>) => plainVpsNode({ name: "cp-1", role: "controlplane", ip: "192.0.2.1", ...own });
const found = (own: Partial<VpsNodeConfig>) => serverFor(node(own), SERVERS, undefined).name;
const failure = (own: Partial<VpsNodeConfig>) => {
  try {
    return found(own);
  } catch (error) {
    return asTalosmithError(error);
  }
};

test.each([
  ["its IPv4 address", { ip: "203.0.113.12" }, "db"],
  ["an address of its IPv6 network", { ip: "2001:db8:42::1" }, "web"],
  ["its second address", { ip: "10.0.0.5", secondIp: "2001:db8:43::7" }, "db"],
  ["its name", { server: "web" }, "web"],
  ["its id", { server: "43" }, "db"],
  ["its name rather than its address", { server: "web", ip: "203.0.113.12" }, "web"],
])("a server is found by %s", (_, own, name) => {
  expect(found(own)).toBe(name);
});

test("when no server fits, the error lists all servers", () => {
  expect(failure({ ip: "203.0.113.99" })).toMatchObject({
    code: "NO_SUCH_SERVER",
    message: expect.stringContaining("203.0.113.99"),
    detail: expect.stringContaining("web (id 42, 203.0.113.11, 2001:db8:42::/64, running)"),
  });
});

test("when several servers fit, because one's name is another's id, the error lists them", () => {
  expect(failure({ server: "42" })).toMatchObject({
    code: "AMBIGUOUS_SERVER",
    detail: expect.stringMatching(/^web \(id 42.*\n42 \(id 44/),
  });
});

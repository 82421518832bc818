import { expect, test } from "vitest";
import type { NicConfig } from "../../../config/config.ts";
import { printConfig } from "../print.ts";
import { hasMoreNetworks, nicDocuments } from "./nics.ts";

const nic: NicConfig = { mac: "BC:24:11:AA:00:02", ip: [], dhcp: false, routes: [], vlans: [] };

test("a second card has its addresses, routes and VLANs under talosmith's alias", () => {
  const second: NicConfig = {
    ...nic,
    ip: ["10.20.0.11/24", "fd00:20::11/64"],
    mtu: 9000,
    routes: [{ to: "10.30.0.0/16", via: "10.20.0.1" }],
    vlans: [{ id: 40, ip: ["10.40.0.11/24"], mtu: 1400 }],
  };
  expect(printConfig(nicDocuments(second, 1))).toBe(`apiVersion: v1alpha1
kind: LinkAliasConfig
name: net1
selector:
    match: mac(link.permanent_addr) == "bc:24:11:aa:00:02"
---
apiVersion: v1alpha1
kind: LinkConfig
name: net1
up: true
mtu: 9000
addresses:
    - address: 10.20.0.11/24
    - address: fd00:20::11/64
routes:
    - destination: 10.30.0.0/16
      gateway: 10.20.0.1
---
apiVersion: v1alpha1
kind: VLANConfig
name: net1.40
vlanID: 40
parent: net1
up: true
mtu: 1400
addresses:
    - address: 10.40.0.11/24
`);
});

// Talos's own metric is 1024 for both, and the kernel keeps one route of a metric.
test("DHCP on a second card never takes the way out from the first", () => {
  expect(nicDocuments({ ...nic, dhcp: true }, 2)).toContainEqual({
    apiVersion: "v1alpha1",
    kind: "DHCPv4Config",
    name: "net2",
    routeMetric: 2050,
  });
});

// CommonLinkConfig.Validate refuses 0.0.0.0/0 as a destination.
test("a route to everything has no destination and a worse metric", () => {
  const routes = [{ to: "0.0.0.0/0", via: "10.20.0.1" }];
  expect(nicDocuments({ ...nic, ip: ["10.20.0.11/24"], routes }, 1)[1]).toMatchObject({
    routes: [{ gateway: "10.20.0.1", metric: 2049 }],
  });
});

test("a card is another network when it has or gets addresses, itself or on a VLAN", () => {
  expect(hasMoreNetworks([nic])).toBe(false);
  expect(hasMoreNetworks([{ ...nic, dhcp: true }])).toBe(true);
  expect(hasMoreNetworks([{ ...nic, ip: ["10.20.0.11/24"] }])).toBe(true);
  expect(hasMoreNetworks([{ ...nic, vlans: [{ id: 4, ip: [] }] }])).toBe(true);
});

test("a card's address may be what its platform knows, and without any nothing is said of it", () => {
  const { mac: _, ...unknown } = nic;
  expect(nicDocuments(unknown, 1, "02:00:00:00:00:01")[0]).toMatchObject({
    selector: { match: 'mac(link.permanent_addr) == "02:00:00:00:00:01"' },
  });
  expect(nicDocuments({ ...unknown, dhcp: true }, 1)).toEqual([]);
});

import { expect, test } from "vitest";
import type { TalosOnDisk } from "../../factory/image.ts";
import type { Vm } from "../../proxmox/state.ts";
import { vmNetwork } from "./virtual.ts";

const system = { platform: "nocloud" } as TalosOnDisk;

function network(ipconfig0: string, nameserver?: string) {
  const servers = nameserver === undefined ? {} : { nameserver };
  const config = { name: "cp-1", ide2: "local-lvm:vm-100-cloudinit,media=cdrom", ipconfig0, ...servers };
  return vmNetwork({ vmid: 100, node: "pve1", config } as unknown as Vm, system, { servers: ["10.0.0.2"] });
}

// Proxmox writes network-config from ipconfig0: both families, each with its gateway; dhcp and auto are obtained from the network.
test.each([
  ["ip=10.0.0.5/24,gw=10.0.0.254", ["10.0.0.5/24"], "10.0.0.254"],
  ["ip=10.0.0.5/24,gw=10.0.0.254,ip6=fd00::5/64,gw6=fd00::fe", ["10.0.0.5/24", "fd00::5/64"], "10.0.0.254"],
  ["ip6=fd00::5/64,gw6=fd00::fe", ["fd00::5/64"], "fd00::fe"],
  ["ip=dhcp,ip6=auto", [], undefined],
])("a VM with %s boots with %j", (ipconfig0, addresses, gateway) => {
  expect(network(ipconfig0, "10.0.0.1 fd00::1")).toMatchObject({
    addresses,
    nameservers: ["10.0.0.1", "fd00::1"],
    ...(gateway && { gateway }),
  });
});

test("a VM without name servers uses those of its host", () => {
  expect(network("ip=10.0.0.5/24").nameservers).toEqual(["10.0.0.2"]);
});

import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/bench.ts";

/** The files that qemu-server's Cloudinit.pm writes, read in its source. */
let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
  await bench.client.task("POST", "/nodes/pve1/qemu", {
    vmid: 100,
    name: "cp-1",
    ide2: "local-lvm:cloudinit",
    net0: "virtio=BC:24:11:AA:BB:CC,bridge=vmbr0",
    ipconfig0: "ip=10.0.0.5/24,gw=10.0.0.1",
    nameserver: "1.1.1.1 9.9.9.9",
    searchdomain: "example.org",
    cipassword: "$5$salt$hash",
  });
});
afterEach(() => bench.close());

const AT = "/nodes/pve1/qemu/100";
const dump = (type: string) => bench.client.get("GET", `${AT}/cloudinit/dump`, { type });
const pending = async () =>
  Object.fromEntries((await bench.client.get("GET", `${AT}/cloudinit`)).map((entry: { key: string }) => [entry.key, entry]));

const NETWORK = `version: 1
config:
    - type: physical
      name: eth0
      mac_address: 'bc:24:11:aa:bb:cc'
      subnets:
      - type: static
        address: '10.0.0.5'
        netmask: '255.255.255.0'
        gateway: '10.0.0.1'
    - type: nameserver
      address:
      - '1.1.1.1'
      - '9.9.9.9'
      search:
      - 'example.org'
`;

const USER = `#cloud-config
hostname: cp-1
manage_etc_hosts: true
fqdn: cp-1.example.org
password: $5$salt$hash
chpasswd:
  expire: False
users:
  - default
package_upgrade: true
`;

test("the three files are those that a nocloud image reads", async () => {
  expect(await dump("network")).toBe(NETWORK);
  expect(await dump("user")).toBe(USER);
  expect(await dump("meta")).toBe(
    `instance-id: ${createHash("sha1")
      .update(USER + NETWORK)
      .digest("hex")}\n`,
  );
});

test("a user who may not configure cloud-init does not see the password", async () => {
  const auditor = await bench.userWith("auditor", { "/vms/100": "VM.Audit" });
  expect(await auditor.get("GET", `${AT}/cloudinit/dump`, { type: "user" })).toContain("password: **********\n");
});

test("a running machine's drive keeps the old values until it is written again", async () => {
  await bench.client.task("POST", `${AT}/status/start`);
  await bench.client.get("PUT", `${AT}/config`, { ipconfig0: "ip=10.0.0.6/24", ciuser: "me", delete: "searchdomain" });
  expect(await pending()).toMatchObject({
    ipconfig0: { value: "ip=10.0.0.5/24,gw=10.0.0.1", pending: "ip=10.0.0.6/24" },
    ciuser: { pending: "me" },
    searchdomain: { delete: 1 },
    nameserver: { value: "1.1.1.1 9.9.9.9" },
  });
  await bench.client.get("PUT", `${AT}/cloudinit`);
  expect(await pending()).toMatchObject({ ipconfig0: { value: "ip=10.0.0.6/24" }, ciuser: { value: "me" } });
});

test("default name servers and domains are those of the host", async () => {
  await bench.root.get("PUT", "/nodes/pve1/dns", { search: "home.arpa", dns1: "10.0.0.2", dns2: "10.0.0.3" });
  await bench.client.get("PUT", `${AT}/config`, { delete: "nameserver" });
  expect(await dump("network")).toContain(
    "address:\n      - '10.0.0.2'\n      - '10.0.0.3'\n      search:\n      - 'example.org'\n",
  );
  await bench.client.get("PUT", `${AT}/config`, { delete: "searchdomain" });
  expect(await dump("network")).toContain("search:\n      - 'home.arpa'\n");
});

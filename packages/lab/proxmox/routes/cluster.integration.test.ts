import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { proxmoxState } from "../state.ts";
import { Bench } from "../testing/bench.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open({ bridges: ["vmbr0", "vmbr1,plain"] });
});
afterAll(() => bench.close());

describe("options of the datacenter", () => {
  test("are listed separately, with the MAC prefix and the allowed tags", async () => {
    await bench.root.get("PUT", "/cluster/options", {
      "next-id": "lower=500,upper=600",
      "tag-style": "ordering=config,case-sensitive=1",
      "registered-tags": "prod;secret",
    });
    expect(await bench.root.get("GET", "/cluster/options")).toEqual({
      description: "",
      keyboard: "en-us",
      mac_prefix: "BC:24:11",
      "next-id": { lower: "500", upper: "600" },
      "tag-style": { ordering: "config", "case-sensitive": 1 },
      "registered-tags": ["prod", "secret"],
      "allowed-tags": ["prod", "secret"],
    });
    const powerless = await bench.userWith("looker", {});
    expect(Object.keys(await powerless.get("GET", "/cluster/options")).sort()).toEqual(["allowed-tags", "tag-style"]);
    await bench.root.get("PUT", "/cluster/options", { delete: "tag-style,registered-tags" });
  });

  test("determine the next VM id, up to the last but one", async () => {
    await bench.root.get("PUT", "/cluster/options", { "next-id": "lower=500,upper=501" });
    expect(await bench.client.get("GET", "/cluster/nextid")).toBe("500");
    await bench.client.task("POST", "/nodes/pve1/qemu", { vmid: 500 });
    const full = await bench.client.call("GET", "/cluster/nextid");
    expect([full.status, full.reason]).toEqual([500, "unable to get any free VMID in range [500, 501]"]);
    await bench.root.get("PUT", "/cluster/options", { delete: "next-id" });
    expect(await bench.client.get("GET", "/cluster/nextid")).toBe("100");
  });

  test("that are property strings are read as objects", async () => {
    await bench.root.get("PUT", "/cluster/options", {
      crs: "ha=static,ha-rebalance-on-start=1",
      migration: "insecure,network=10.0.0.0/24",
      ha: "shutdown_policy=migrate",
      notify: "package-updates=never",
      webauthn: "rp=lab,allow-subdomains=0",
    });
    expect(await bench.root.get("GET", "/cluster/options")).toMatchObject({
      crs: { ha: "static", "ha-rebalance-on-start": 1 },
      migration: { type: "insecure", network: "10.0.0.0/24" },
      ha: { shutdown_policy: "migrate" },
      notify: { "package-updates": "never" },
      webauthn: { rp: "lab", "allow-subdomains": 0 },
    });
    const { status, body } = await bench.root.call("PUT", "/cluster/options", { crs: "ha-auto-rebalance-margin=5" });
    expect([status, body.errors.crs]).toEqual([400, expect.stringContaining("required by 'crs.ha-auto-rebalance-margin'")]);
    await bench.root.get("PUT", "/cluster/options", { delete: "crs,migration,ha,notify,webauthn" });
  });

  test("a range with its bounds reversed is refused", async () => {
    const answer = await bench.root.call("PUT", "/cluster/options", { "next-id": "lower=600,upper=500" });
    expect(answer.reason).toBe("lower (600) <= upper (500) boundary rule broken");
  });
});

test("bridges report whether they are VLAN-aware", async () => {
  const bridges: { iface: string; bridge_vlan_aware?: number }[] = await bench.client.get("GET", "/nodes/pve1/network", {
    type: "any_bridge",
  });
  const aware = Object.fromEntries(bridges.map(({ iface, bridge_vlan_aware }) => [iface, bridge_vlan_aware]));
  expect(aware).toEqual({ vmbr0: 1, vmbr1: undefined });
});

test("a bond is a port of a bridge, and has its own ports", async () => {
  bench.lab.turn(() => {
    const host = proxmoxState(bench.lab).hosts[1];
    host?.bonds.push({ name: "bond0", slaves: ["enp7s0", "enp8s0"], mode: "802.3ad" });
    Object.assign(host?.bridges[1] ?? {}, { ports: ["bond0"] });
  });
  const all: { iface: string; type: string }[] = await bench.client.get("GET", "/nodes/pve2/network");
  const types = Object.fromEntries(all.map(({ iface, type }) => [iface, type]));
  expect(types).toMatchObject({ bond0: "bond", enp7s0: "eth", enp8s0: "eth", vmbr1: "bridge" });
  expect(all.find(({ iface }) => iface === "bond0")).toMatchObject({ slaves: "enp7s0 enp8s0", bond_mode: "802.3ad" });
});

test("SDN networks are among a host's interfaces when they are requested", async () => {
  bench.lab.turn(() => {
    proxmoxState(bench.lab).sdn = {
      zones: { everywhere: { type: "simple", ipam: "pve" }, two: { type: "vlan", nodes: "pve2" } },
      vnets: { vnet0: { zone: "everywhere", alias: "for all" }, vnet2: { zone: "two", vlanaware: "1" } },
    };
  });
  const vnet0 = { iface: "vnet0", type: "vnet", active: "1", ipam: 1, vlanaware: 0, comments: "for all" };
  const asked = (node: string, type: string, who = bench.root): Promise<{ iface: string }[]> =>
    who.get("GET", `/nodes/${node}/network`, type === "" ? {} : { type });
  expect(await asked("pve1", "vnet")).toEqual([vnet0]);
  expect((await asked("pve2", "vnet")).map(({ iface }) => iface).sort()).toEqual(["vnet0", "vnet2"]);
  for (const type of ["any_bridge", "include_sdn"]) expect(await asked("pve1", type)).toContainEqual(vnet0);
  for (const type of ["", "bridge", "any_local_bridge"]) expect(await asked("pve1", type)).not.toContainEqual(vnet0);
  const user = await bench.userWith("sdn", { "/sdn/zones/two": "SDN.Use" });
  expect(await asked("pve2", "vnet", user)).toMatchObject([{ iface: "vnet2", vlanaware: 1, comments: null }]);
});

test("a user who may use one VLAN of a bridge sees the bridge", async () => {
  const user = await bench.userWith("vlan", { "/sdn/zones/localnetwork/vmbr1/10": "SDN.Use" });
  const bridges: { iface: string }[] = await user.get("GET", "/nodes/pve1/network", { type: "bridge" });
  expect(bridges.map(({ iface }) => iface)).toEqual(["vmbr1"]);
});

test("an existing machine can be managed by HA, and its state is reported", async () => {
  const unknown = await bench.root.call("POST", "/cluster/ha/resources", { sid: "vm:900" });
  expect(unknown.reason).toBe("unable to find VM '900'");
  await bench.root.task("POST", "/nodes/pve1/qemu", { vmid: 900 });
  await bench.root.get("POST", "/cluster/ha/resources", { sid: "vm:900", state: "stopped", max_restart: 2 });
  const again = await bench.root.call("POST", "/cluster/ha/resources", { sid: "900" });
  expect(again.reason).toBe("create resource failed: resource ID 'vm:900' already defined");
  expect(await bench.root.get("GET", "/cluster/ha/resources/vm:900")).toMatchObject({
    sid: "vm:900",
    type: "vm",
    state: "stopped",
    max_restart: 2,
  });
  const vms: { vmid: number; hastate?: string }[] = await bench.root.get("GET", "/cluster/resources", { type: "vm" });
  expect(vms.find(({ vmid }) => vmid === 900)?.hastate).toBe("stopped");
  const refused = await bench.client.call("DELETE", "/cluster/ha/resources/vm:900");
  expect(refused.reason).toBe("Permission check failed (/, Sys.Console)");
  await bench.root.get("DELETE", "/cluster/ha/resources/vm:900");
  const gone = await bench.root.call("DELETE", "/cluster/ha/resources/vm:900");
  expect(gone.reason).toBe("cannot delete service 'vm:900', not HA managed!");
});

test("a rule is removed with its last machine", async () => {
  await bench.root.task("POST", "/nodes/pve1/qemu", { vmid: 901 });
  await bench.root.get("POST", "/cluster/ha/resources", { sid: "vm:901" });
  await bench.root.get("POST", "/cluster/ha/rules", { rule: "near", type: "node-affinity", resources: "vm:901", nodes: "pve1" });
  await bench.root.get("DELETE", "/cluster/ha/resources/vm:901");
  expect(await bench.root.get("GET", "/cluster/ha/rules")).toEqual([]);
});

describe("pools", () => {
  test("a machine moves between pools only with allow-move", async () => {
    for (const poolid of ["one", "two"]) await bench.root.get("POST", "/pools", { poolid });
    await bench.root.task("POST", "/nodes/pve1/qemu", { vmid: 910, pool: "one" });
    const refused = await bench.root.call("PUT", "/pools", { poolid: "two", vms: 910 });
    expect(refused.reason).toBe("update pools failed: VM 910 belongs already to pool 'one' and 'allow-move' is not set");
    await bench.root.get("PUT", "/pools", { poolid: "two", vms: 910, "allow-move": 1 });
    expect(await bench.root.get("GET", "/pools", { poolid: "one" })).toMatchObject([{ members: [] }]);
  });

  test("a change that is not completely possible is not made at all, and its error contains a missing privilege", async () => {
    await bench.root.get("POST", "/pools", { poolid: "mine" });
    const user = await bench.userWith("pooler", { "/pool/mine": "Pool.Allocate", "/vms/911": "VM.Allocate" });
    for (const vmid of [911, 912]) await bench.root.task("POST", "/nodes/pve1/qemu", { vmid });
    const answer = await user.call("PUT", "/pools", { poolid: "mine", vms: "911,912" });
    expect([answer.status, answer.reason]).toEqual([
      500,
      "update pools failed: 403 Permission check failed (/vms/912, Permissions.Modify|VM.Allocate)",
    ]);
    expect(await bench.root.get("GET", "/pools", { poolid: "mine" })).toMatchObject([{ members: [] }]);
  });

  test("pools nest three deep, and a pool with a child is not empty", async () => {
    await bench.root.get("POST", "/pools", { poolid: "a" });
    await bench.root.get("POST", "/pools", { poolid: "a/b" });
    expect((await bench.root.call("POST", "/pools", { poolid: "x/y" })).reason).toBe(
      "create pool failed: parent 'x' of pool 'x/y' does not exist",
    );
    const deep = await bench.root.call("POST", "/pools", { poolid: "a/b/c/d" });
    expect(deep.body.errors.poolid).toBe("invalid format - pool name 'a/b/c/d' nested too deeply (max levels = 3)\n");
    expect((await bench.root.call("DELETE", "/pools", { poolid: "a" })).reason).toBe(
      "delete pool failed: pool 'a' is not empty (contains pool 'a/b')",
    );
  });
});

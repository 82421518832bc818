import { afterAll, beforeAll, expect, test } from "vitest";
import { proxmoxState } from "../state.ts";
import { Bench } from "../testing/bench.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open();
});
afterAll(() => bench.close());

test("the version is pve-manager's", async () => {
  expect(await bench.client.get("GET", "/version")).toMatchObject({ version: "9.2.11", release: "9.2" });
});

test("there are three hosts with 16 processors and 48 GiB each", async () => {
  const hosts = await bench.client.get("GET", "/nodes");
  expect(hosts.map((host: { node: string }) => host.node).sort()).toEqual(["pve1", "pve2", "pve3"]);
  for (const host of hosts) expect(host).toMatchObject({ maxcpu: 16, maxmem: 48 * 1024 ** 3, status: "online" });
});

test("without Sys.Audit only the name of a host is shown", async () => {
  const stranger = await bench.userWith("stranger", {});
  const [host] = await stranger.get("GET", "/nodes");
  expect(Object.keys(host).sort()).toEqual(["id", "level", "node", "ssl_fingerprint", "status", "type"]);
});

// PVE::API2Tools::extract_node_stats
test("a host without figures has status unknown, and still answers", async () => {
  const host = proxmoxState(bench.lab).hosts[1];
  if (!host) throw new Error("no second host");
  host.figuresMissing = true;
  const hosts = await bench.client.get("GET", "/nodes");
  expect(hosts.find(({ node }: { node: string }) => node === "pve2")).toEqual({
    id: "node/pve2",
    node: "pve2",
    type: "node",
    status: "unknown",
    ssl_fingerprint: expect.any(String),
  });
  expect(await bench.client.get("GET", "/nodes/pve2/version")).toMatchObject({ release: "9.2" });
  delete host.figuresMissing;
});

test("the fingerprint of the published host is the one in /nodes", async () => {
  const { proxmox } = bench.lab.published();
  const hosts = await bench.client.get("GET", "/nodes");
  expect(hosts.find((host: { node: string }) => host.node === "pve1").ssl_fingerprint).toBe(proxmox?.fingerprint);
  expect(proxmox?.fingerprint).toMatch(/^([A-F0-9]{2}:){31}[A-F0-9]{2}$/);
});

test("a host's status contains its pve-manager version and whether it can virtualise", async () => {
  const status = await bench.client.get("GET", "/nodes/pve1/status");
  expect(status.pveversion).toMatch(/^pve-manager\/9\.2\.11\//);
  expect(status.cpuinfo).toMatchObject({ cpus: 16, hvm: "1" });
  expect(status.loadavg).toHaveLength(3);
});

test("the status of a cluster begins with the cluster's name", async () => {
  const [cluster, ...hosts] = await bench.client.get("GET", "/cluster/status");
  expect(cluster).toMatchObject({ type: "cluster", nodes: 3, quorate: 1 });
  expect(hosts).toHaveLength(3);
});

test("a single host is exactly one node with id 0", async () => {
  const alone = await Bench.open({ hosts: ["pve"] });
  try {
    expect(await alone.client.get("GET", "/cluster/status")).toEqual([
      { type: "node", id: "node/pve", name: "pve", nodeid: 0, local: 1, online: 1, ip: alone.lab.address.host(1), level: "" },
    ]);
  } finally {
    await alone.close();
  }
});

test("the next id is text, and asking for a taken one is a parameter error", async () => {
  expect(await bench.client.get("GET", "/cluster/nextid")).toBe("100");
  expect(await bench.client.get("GET", "/cluster/nextid", { vmid: 4711 })).toBe("4711");
  await bench.root.task("POST", "/nodes/pve1/qemu", { vmid: 100 });
  expect(await bench.client.get("GET", "/cluster/nextid")).toBe("101");
  const taken = await bench.client.call("GET", "/cluster/nextid", { vmid: 100 });
  expect([taken.status, taken.body.errors]).toEqual([400, { vmid: "VM 100 already exists" }]);
  await bench.root.task("DELETE", "/nodes/pve1/qemu/100");
});

test("bridges are listed for users who may use them", async () => {
  const bridges = await bench.client.get("GET", "/nodes/pve1/network", { type: "bridge" });
  expect(bridges).toMatchObject([{ iface: "vmbr0", type: "bridge", active: 1 }]);
  const stranger = await bench.userWith("blind", {});
  expect(await stranger.get("GET", "/nodes/pve1/network", { type: "bridge" })).toEqual([]);
});

test("a host has the CPU models that Talos can run on", async () => {
  const models = await bench.client.get("GET", "/nodes/pve1/capabilities/qemu/cpu");
  const names = models.map((model: { name: string }) => model.name);
  expect(names).toEqual(expect.arrayContaining(["host", "kvm64", "x86-64-v2-AES"]));
});

test("lists made from hashes change their order", async () => {
  const orders = new Set<string>();
  for (let n = 0; n < 20; n++) {
    const [local] = await bench.client.get("GET", "/nodes/pve1/storage", { storage: "local" });
    orders.add(local.content);
  }
  expect(orders.size).toBeGreaterThan(1);
});

test("the cluster's resources have several types, networks among them in Proxmox VE 9", async () => {
  const resources = await bench.root.get("GET", "/cluster/resources");
  const types = new Set(resources.map((resource: { type: string }) => resource.type));
  expect([...types].sort()).toEqual(["network", "node", "storage"]);
  expect(await bench.client.get("GET", "/cluster/resources", { type: "storage" })).toHaveLength(6);
});

/** Repeats an attempt until no broadcast came between its calls. */
async function untilSeen<T>(attempt: (n: number) => Promise<T | undefined>): Promise<T> {
  for (let n = 0; n < 20; n++) {
    const seen = await attempt(n);
    if (seen !== undefined) return seen;
  }
  throw new Error("a broadcast came each time");
}

test("summaries lag: a machine created just now has no name and no status, but its tags", async () => {
  const slow = await Bench.open({ timeScale: 5 });
  try {
    const summary = async (vmid: number) =>
      (await slow.client.get("GET", "/cluster/resources", { type: "vm" })).find((vm: { vmid: number }) => vm.vmid === vmid);
    const fresh = await untilSeen(async (n) => {
      const vmid = 100 + n;
      await slow.client.task("POST", "/nodes/pve2/qemu", { vmid, name: "fresh", tags: "b;a" });
      const live = await slow.client.get("GET", `/nodes/pve2/qemu/${vmid}/status/current`);
      expect(live).toMatchObject({ name: "fresh", status: "stopped" });
      const seen = await summary(vmid);
      return seen.status === "unknown" ? seen : undefined;
    });
    expect(fresh).toEqual({
      id: `qemu/${fresh.vmid}`,
      vmid: fresh.vmid,
      type: "qemu",
      node: "pve2",
      status: "unknown",
      tags: "a;b",
    });
    slow.skip(10_000);
    expect(await summary(fresh.vmid)).toMatchObject({ name: "fresh", status: "stopped" });
  } finally {
    await slow.close();
  }
});

test("summaries lag: a machine started just now is still reported as stopped", async () => {
  const slow = await Bench.open({ timeScale: 5 });
  try {
    await slow.client.task("POST", "/nodes/pve1/qemu", { vmid: 100 });
    slow.skip(10_000);
    const summary = async () => (await slow.client.get("GET", "/cluster/resources", { type: "vm" }))[0];
    await untilSeen(async () => {
      await slow.client.task("POST", "/nodes/pve1/qemu/100/status/start");
      expect((await slow.client.get("GET", "/nodes/pve1/qemu/100/status/current")).status).toBe("running");
      if ((await summary()).status === "stopped") return true;
      await slow.client.task("POST", "/nodes/pve1/qemu/100/status/stop");
      slow.skip(10_000);
      return undefined;
    });
    slow.skip(10_000);
    expect((await summary()).status).toBe("running");
  } finally {
    await slow.close();
  }
});

test("pools can be created, filled, and removed when empty", async () => {
  await bench.root.get("POST", "/pools", { poolid: "mine", comment: "ours" });
  const again = await bench.root.call("POST", "/pools", { poolid: "mine" });
  expect([again.status, again.reason]).toEqual([500, "create pool failed: pool 'mine' already exists"]);
  await bench.root.task("POST", "/nodes/pve1/qemu", { vmid: 300, pool: "mine" });
  const [pool] = await bench.root.get("GET", "/pools", { poolid: "mine" });
  expect(pool).toMatchObject({ poolid: "mine", comment: "ours", members: [{ id: "qemu/300", vmid: 300, node: "pve1" }] });
  expect((await bench.root.call("PUT", "/pools", { poolid: "mine", vms: 300 })).reason).toBe(
    "update pools failed: VM 300 is already a pool member",
  );
  const full = await bench.root.call("DELETE", "/pools", { poolid: "mine" });
  expect(full.reason).toBe("delete pool failed: pool 'mine' is not empty (contains VM 300)");
  await bench.root.task("DELETE", "/nodes/pve1/qemu/300");
  await bench.root.get("DELETE", "/pools", { poolid: "mine" });
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { proxmoxState } from "./state.ts";
import { Bench } from "./testing/bench.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open({ timeScale: 50 });
});
afterAll(() => bench.close());

const strike = (name: string, ...args: string[]) => bench.lab.strike(name, args);
const nodes = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    ((await bench.client.get("GET", "/nodes")) as { node: string; status: string }[]).map(({ node, status }) => [node, status]),
  );

test("power-loss-during: the host loses power during its next task; the new machine stays locked, and lock files are released", async () => {
  const volume = await bench.image("pve2");
  strike("power-loss-during", "pve2", "qmcreate");
  const upid = await bench.client.get("POST", "/nodes/pve2/qemu", { vmid: 100, scsi0: `local-lvm:0,import-from=${volume}` });
  await expect.poll(nodes).toMatchObject({ pve2: "offline" });
  // It happens only once.
  await bench.client.task("POST", "/nodes/pve1/qemu", { vmid: 101 });
  strike("power-on", "pve2");
  expect(await bench.client.end(upid)).toMatchObject({ exitstatus: "unexpected status" });
  expect(await bench.client.get("GET", "/nodes/pve2/qemu/100/config")).toMatchObject({ lock: "create" });
  expect(proxmoxState(bench.lab).locks).toEqual([]);
  await bench.client.task("POST", "/nodes/pve2/qemu", { vmid: 102 });
});

test("power-loss: power returns after the given time; without quorum nothing is written meanwhile", async () => {
  strike("power-loss", "pve2", "60");
  strike("power-loss", "pve3", "60");
  const refused = await bench.client.call("POST", "/nodes/pve1/qemu", { vmid: 103 });
  expect([refused.status, refused.reason]).toEqual([500, "cluster not ready - no quorum?"]);
  await expect.poll(nodes).toEqual({ pve1: "online", pve2: "online", pve3: "online" });
  await bench.client.task("POST", "/nodes/pve1/qemu", { vmid: 103 });
});

test("a storage becomes full, refuses a content type, or becomes unreachable", async () => {
  const status = async () => bench.client.get("GET", "/nodes/pve3/storage/local-lvm/status");
  strike("storage-full", "pve3", "local-lvm");
  expect(await status()).toMatchObject({ avail: 0, active: 1 });
  const made = await bench.client.get("POST", "/nodes/pve3/qemu", { vmid: 104, scsi0: "local-lvm:4" });
  expect((await bench.client.end(made)).exitstatus).toContain("free space in thin pool pve/data reached threshold");
  const left: { volid: string }[] = await bench.root.get("GET", "/nodes/pve3/storage/local-lvm/content");
  expect(left.map(({ volid }) => volid)).toEqual(["local-lvm:vm-9104-disk-0"]);
  strike("storage-gone", "pve3", "local-lvm");
  expect(await status()).toMatchObject({ active: 0 });
  strike("storage-content", "local", "import");
  expect(await bench.client.get("GET", "/nodes/pve1/storage/local/status")).toMatchObject({
    content: expect.not.stringContaining("import"),
  });
});

test("a machine is locked, a privilege is removed, then the token", async () => {
  strike("vm-locked", "101", "backup");
  const started = await bench.client.get("POST", "/nodes/pve1/qemu/101/status/start");
  expect((await bench.client.end(started)).exitstatus).toBe("VM is locked (backup)");
  strike("right-removed", "VM.PowerMgmt");
  expect((await bench.client.call("POST", "/nodes/pve1/qemu/101/status/start")).status).toBe(403);
  strike("token-gone");
  expect((await bench.client.call("GET", "/nodes")).status).toBe(401);
});

test.each([
  ["power-loss", ["pve9"], "there is no host pve9"],
  ["power-loss", ["pve1", "soon"], "soon is not a number of seconds"],
  ["storage-full", ["pve1", "tape"], "there is no storage tape"],
  ["vm-locked", ["vm-9", "backup"], "there is no machine vm-9"],
  ["vm-locked", ["101", "firmly"], "there is no lock firmly"],
  ["right-removed", ["VM.Fly"], "no role has the privilege VM.Fly"],
  ["storage-content", ["local", "music"], "local does not accept music"],
])("%s %j is refused with the reason", (name, args, why) => {
  expect(() => bench.lab.strike(name, args)).toThrow(why);
});

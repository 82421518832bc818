import { afterEach, expect, test } from "vitest";
import { rebootHost, setHostOnline, setQuorate } from "./host-power.ts";
import { hostNamed, proxmoxState } from "./state.ts";
import { Bench } from "./testing/bench.ts";
import { send } from "./testing/raw-client.ts";

let bench: Bench;
afterEach(() => bench.close());

test("a host that is off is offline in every list, and its machines are unknown", async () => {
  bench = await Bench.open();
  await bench.client.task("POST", "/nodes/pve2/qemu", { vmid: 100, name: "there" });
  setHostOnline(bench.lab, "pve2", false);
  const nodes: { node: string; status: string }[] = await bench.client.get("GET", "/nodes");
  expect(nodes.find(({ node }) => node === "pve2")).toMatchObject({ status: "offline", maxcpu: 16 });
  expect(nodes.find(({ node }) => node === "pve2")).not.toHaveProperty("uptime");
  const [machine] = await bench.client.get("GET", "/cluster/resources", { type: "vm" });
  expect(machine).toMatchObject({ vmid: 100, node: "pve2", status: "unknown" });
  expect(machine).not.toHaveProperty("name");
  const members: { name: string; online: number }[] = await bench.client.get("GET", "/cluster/status");
  expect(members.find(({ name }) => name === "pve2")?.online).toBe(0);
  const disks: { node: string; status: string }[] = await bench.client.get("GET", "/cluster/resources", { type: "storage" });
  expect(disks.filter(({ node }) => node === "pve2").map(({ status }) => status)).toEqual(["unknown", "unknown"]);
});

test("other hosts answer 595 for a host that is off, after checking privileges and before checking parameters", async () => {
  bench = await Bench.open();
  setHostOnline(bench.lab, "pve2", false);
  const answer = await bench.client.call("GET", "/nodes/pve2/qemu", { bogus: 1 });
  expect([answer.status, answer.reason, answer.text]).toEqual([595, "No route to host", ""]);
  const powerless = await bench.userWith("powerless", {});
  expect((await powerless.call("GET", "/nodes/pve2/status")).status).toBe(403);
});

test("a host that is off refuses connections and cuts existing ones", async () => {
  bench = await Bench.open();
  setHostOnline(bench.lab, "pve1", false);
  await expect(send(bench.url, "GET", "/api2/json/version")).rejects.toThrow();
  setHostOnline(bench.lab, "pve1", true);
  expect((await bench.client.call("GET", "/version")).status).toBe(200);
});

test("on power loss, running tasks end without a last line and the lock in a config stays", async () => {
  bench = await Bench.open({ timeScale: 5 });
  const volume = await bench.image();
  const upid = await bench.client.get("POST", "/nodes/pve1/qemu", { vmid: 100, scsi0: `local-lvm:0,import-from=${volume}` });
  const config = () => bench.client.get("GET", "/nodes/pve1/qemu/100/config");
  expect(await config()).toMatchObject({ lock: "create" });
  setHostOnline(bench.lab, "pve1", false);
  setHostOnline(bench.lab, "pve1", true);
  const end = await bench.client.end(upid);
  expect(end.exitstatus).toBe("unexpected status");
  expect(end.log.at(-1)).not.toMatch(/^TASK/);
  expect(await config()).toMatchObject({ lock: "create" });
  expect(proxmoxState(bench.lab).locks).toEqual([]);
  const stuck = await bench.client.call("DELETE", "/nodes/pve1/qemu/100");
  const why = stuck.status === 200 ? (await bench.client.end(stuck.body.data)).exitstatus : stuck.reason;
  expect(why).toBe("VM is locked (create)");
});

test("on power loss, machines are off, and those with onboot start again in their order", async () => {
  bench = await Bench.open();
  for (const [vmid, startup] of [
    [100, ""],
    [101, "order=2"],
    [102, "order=1,up=5"],
  ] as const)
    await bench.root.task("POST", "/nodes/pve1/qemu", { vmid, onboot: 1, ...(startup !== "" && { startup }), start: 0 });
  await bench.root.task("POST", "/nodes/pve1/qemu", { vmid: 103 });
  for (const vmid of [100, 101, 102, 103]) await bench.root.task("POST", `/nodes/pve1/qemu/${vmid}/status/start`);
  setHostOnline(bench.lab, "pve1", false);
  const running = () => Object.values(proxmoxState(bench.lab).vms).filter((vm) => vm.power).length;
  expect(running()).toBe(0);
  setHostOnline(bench.lab, "pve1", true);
  await expect.poll(() => bench.lab.turn(running)).toBe(3);
  const tasks: { type: string; id: string; starttime: number }[] = await bench.root.get("GET", "/nodes/pve1/tasks", {
    typefilter: "qmstart",
  });
  expect(tasks.slice(0, 3).map(({ id }) => id)).toEqual(["100", "101", "102"]);
  expect(proxmoxState(bench.lab).vms[103]?.power).toBeUndefined();
});

test("a reboot takes a while, and applies the IOMMU setting of the kernel command line", async () => {
  bench = await Bench.open({ iommu: false });
  bench.lab.turn(() => Object.assign(hostNamed(proxmoxState(bench.lab), "pve2") ?? {}, { iommuAfterBoot: true }));
  rebootHost(bench.lab, "pve2");
  await expect.poll(() => bench.lab.turn(() => hostNamed(proxmoxState(bench.lab), "pve2")?.online)).toBe(true);
  const groups: { iommugroup: number }[] = await bench.client.get("GET", "/nodes/pve2/hardware/pci");
  expect(groups.every(({ iommugroup }) => iommugroup >= 0)).toBe(true);
  expect((await bench.client.get("GET", "/nodes/pve2/status")).uptime).toBeLessThan(3600);
});

test("POST status reboots a host for users with the right", async () => {
  bench = await Bench.open();
  const refused = await bench.client.call("POST", "/nodes/pve2/status", { command: "reboot" });
  expect(refused.reason).toBe("Permission check failed (/nodes/pve2, Sys.PowerMgmt)");
  await bench.root.get("POST", "/nodes/pve2/status", { command: "shutdown" });
  await expect.poll(() => bench.lab.turn(() => hostNamed(proxmoxState(bench.lab), "pve2")?.online)).toBe(false);
});

test("without quorum writes fail, and reads succeed", async () => {
  bench = await Bench.open();
  setHostOnline(bench.lab, "pve2", false);
  expect((await bench.client.call("POST", "/nodes/pve1/qemu", { vmid: 100 })).status).toBe(200);
  setHostOnline(bench.lab, "pve3", false);
  const create = await bench.client.call("POST", "/nodes/pve1/qemu", { vmid: 101 });
  expect([create.status, create.reason]).toEqual([500, "cluster not ready - no quorum?"]);
  const user = await bench.root.call("POST", "/access/users", { userid: "a@pve" });
  expect(user.reason).toBe("cfs-lock 'file-user_cfg' error: no quorum!");
  expect((await bench.client.get("GET", "/cluster/status")).find((one: { type: string }) => one.type === "cluster").quorate).toBe(
    0,
  );
  setQuorate(bench.lab, true);
  expect((await bench.client.call("POST", "/nodes/pve1/qemu", { vmid: 101 })).status).toBe(200);
});

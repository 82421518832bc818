import { afterEach, expect, test } from "vitest";
import { ROOT } from "../access/acl.ts";
import { proxmoxState, type Vm } from "../state.ts";
import { Bench, type BenchOptions } from "../testing/bench.ts";
import { cloneSteps } from "../vm/clone.ts";
import { diskSteps } from "../vm/disk-steps.ts";
import { resizeSteps } from "../vm/resize.ts";
import type { JobStep } from "./job.ts";
import { startTask } from "./upid.ts";

/** How long workers wait for locks, and their errors after that: docs/facts/proxmox.md#locks. */
let bench: Bench;
afterEach(() => bench.close());

const open = async (options: BenchOptions = {}) => {
  bench = await Bench.open({ timeScale: 20, ...options });
  return bench;
};
const AT = "/nodes/pve1/qemu";
const disks = (storage: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`scsi${n}`, `${storage}:1`]));

/** Thirty workers that start at the same instant, each with a disk to create. */
function thirtyAtOnce(storage: string, nodes: readonly string[]): string[] {
  const { lab } = bench;
  return lab.turn(() =>
    Array.from({ length: 30 }, (_, n) => {
      const steps = diskSteps(proxmoxState(lab), 100 + n, { scsi0: `${storage}:1` });
      return startTask(lab, { type: "qmconfig", id: String(100 + n), node: nodes[n % nodes.length] as string, by: ROOT, steps })
        .upid;
    }),
  );
}

const outcomes = async (upids: readonly string[]) =>
  (await Promise.all(upids.map((upid) => bench.root.end(upid)))).map(({ exitstatus }) => exitstatus);

test("too many simultaneous allocations on one local storage time out at its lock: half a second each, ten seconds of waiting", async () => {
  await open({ timeScale: "instant" });
  const ends = await outcomes(thirtyAtOnce("local-lvm", ["pve1"]));
  const failed = ends.filter((status) => status !== "OK");
  expect(failed).toHaveLength(9);
  expect(new Set(failed)).toEqual(new Set(["can't lock file '/var/lock/pve-manager/pve-storage-local-lvm' - got timeout"]));
});

test("the same storage on another host has its own lock", async () => {
  await open({ timeScale: "instant" });
  expect(await outcomes(thirtyAtOnce("local-lvm", ["pve1", "pve2", "pve3"]))).toEqual(Array(30).fill("OK"));
});

test("a shared storage is locked in the whole cluster", async () => {
  await open({ timeScale: "instant", storages: [{ id: "ceph", type: "rbd" }] });
  const failed = (await outcomes(thirtyAtOnce("ceph", ["pve1", "pve2", "pve3"]))).filter((status) => status !== "OK");
  expect(failed).toHaveLength(9);
  expect(new Set(failed)).toEqual(new Set(["cfs-lock 'storage-ceph' error: got lock request timeout"]));
});

test("a machine whose storage is locked too long is destroyed, and its disk is left behind with a warning", async () => {
  const { client } = await open();
  await client.task("POST", AT, { vmid: 100, scsi0: "local-lvm:1" });
  const busy = await client.get("POST", AT, { vmid: 101, ...disks("local-lvm", 30) });
  const more = await client.get("POST", AT, { vmid: 102, ...disks("local-lvm", 30) });
  bench.lab.turn(() => {
    // A lock that is never released.
    const state = bench.lab.state<{ locks: { path: string; holders: number[]; shared: boolean }[] }>("proxmox");
    state.locks = [{ path: "pve1 /var/lock/pve-manager/pve-storage-local-lvm", holders: [-1], shared: false }];
  });
  const { exitstatus, log } = await client.end(await client.get("DELETE", `${AT}/100`));
  expect(exitstatus).toBe("WARNINGS: 1");
  expect(log).toContain(
    "WARN: Could not remove disk 'local-lvm:vm-100-disk-0', check manually: can't lock file '/var/lock/pve-manager/pve-storage-local-lvm' - got timeout",
  );
  expect((await client.call("GET", `${AT}/100/config`)).status).toBe(500);
  await Promise.all([client.end(busy), client.end(more)]);
}, 30_000);

/** Workers that start at the same instant on pve1. */
const atOnce = (all: () => JobStep[][]) =>
  bench.lab.turn(() =>
    all().map((steps) => startTask(bench.lab, { type: "qmconfig", id: "100", node: "pve1", by: ROOT, steps }).upid),
  );
const clones = (...ids: number[]) => {
  const vm = () => proxmoxState(bench.lab).vms[100] as Vm;
  return atOnce(() => ids.map((newid) => cloneSteps(vm(), { vmid: 100, newid, full: true })));
};

test("clones of a stopped machine run in parallel, a running machine is cloned by one task at a time", async () => {
  const { client } = await open({ timeScale: "instant" });
  await client.task("POST", AT, { vmid: 100, scsi0: "local-lvm:1" });
  await client.task("POST", `${AT}/100/status/start`);
  expect((await outcomes(clones(101, 102))).sort()).toEqual([
    "OK",
    "can't lock file '/var/lock/qemu-server/lock-100.conf' - got timeout",
  ]);
  await client.task("POST", `${AT}/100/status/stop`);
  expect(await outcomes(clones(103, 104))).toEqual(["OK", "OK"]);
});

test("a task that waited for a lock logs it; growing a disk locks its volume group", async () => {
  const { client, root } = await open({ timeScale: "instant" });
  for (const vmid of [100, 101]) await client.task("POST", AT, { vmid, scsi0: "local-lvm:1" });
  const grow = (vmid: number) => resizeSteps({ vmid, disk: "scsi0", size: "+1G", skipLock: false });
  const [, second = ""] = atOnce(() => [grow(100), grow(101)]);
  expect((await root.end(second)).log).toEqual(["trying to acquire lock...", " OK", "TASK OK"]);
});

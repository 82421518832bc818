import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/bench.ts";

/** Messages of pve-guest-common, AbstractConfig.pm, and pve-storage, ZFSPoolPlugin.pm. */
let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open({
    storages: [
      { id: "tank", type: "zfspool" },
      { id: "files", type: "dir" },
    ],
  });
});
afterEach(() => bench.close());

const QEMU = "/nodes/pve1/qemu";
const AT = `${QEMU}/100`;
const config = () => bench.root.get("GET", `${AT}/config`);
const take = (snapname: string, more = {}) => bench.root.outcome("POST", `${AT}/snapshot`, { snapname, ...more });

test("a machine without snapshots lists only its current state", async () => {
  await bench.root.task("POST", QEMU, { vmid: 100 });
  const [current, ...more] = await bench.root.get("GET", `${AT}/snapshot`);
  expect(current).toMatchObject({ name: "current", running: 0 });
  expect(more).toEqual([]);
});

test("a snapshot stores the config; a rollback restores it and leaves new disks as unused", async () => {
  await bench.root.task("POST", QEMU, { vmid: 100, scsi0: "local-lvm:1", cores: 2, description: "before" });
  expect(await take("one", { description: "first" })).toBe("OK");
  await bench.root.get("PUT", `${AT}/config`, { cores: 4, scsi1: "local-lvm:1", description: "after" });
  await bench.root.task("PUT", `${AT}/resize`, { disk: "scsi0", size: "3G" });
  const listed: { name: string; description: string; snaptime: number }[] = await bench.root.get("GET", `${AT}/snapshot`);
  expect(listed.find(({ name }) => name === "one")).toMatchObject({ description: "first", vmstate: 0 });
  expect((await config()).parent).toBe("one");
  expect(await bench.root.outcome("POST", `${AT}/snapshot/one/rollback`)).toBe("OK");
  expect(await config()).toMatchObject({
    cores: 2,
    description: "after",
    scsi0: "local-lvm:vm-100-disk-0,size=1G",
    unused0: "local-lvm:vm-100-disk-1",
    parent: "one",
  });
});

test("the children of a deleted snapshot get its parent", async () => {
  await bench.root.task("POST", QEMU, { vmid: 100, scsi0: "local-lvm:1" });
  for (const name of ["one", "two", "three"]) await take(name);
  await bench.root.task("DELETE", `${AT}/snapshot/two`);
  const listed: { name: string; parent?: string }[] = await bench.root.get("GET", `${AT}/snapshot`);
  expect(listed.find(({ name }) => name === "three")?.parent).toBe("one");
  expect(listed.find(({ name }) => name === "current")?.parent).toBe("three");
});

test("a machine that cannot be snapshotted reports the reason", async () => {
  await bench.root.task("POST", QEMU, { vmid: 100, scsi0: "files:1" });
  expect(await take("one")).toBe("snapshot feature is not available");
  await bench.root.task("POST", QEMU, { vmid: 101, scsi0: "files:1,format=qcow2" });
  expect(await bench.root.outcome("POST", `${QEMU}/101/snapshot`, { snapname: "one" })).toBe("OK");
  expect(await bench.root.outcome("POST", `${QEMU}/101/snapshot`, { snapname: "one" })).toBe("snapshot name 'one' already used");
  expect((await bench.root.call("POST", `${QEMU}/101/snapshot`, { snapname: "current" })).reason).toBe(
    "unable to use snapshot name 'current' (reserved name)",
  );
  expect(await bench.root.get("GET", `${AT}/feature`, { feature: "snapshot" })).toMatchObject({ hasFeature: 0 });
  expect(await bench.root.get("GET", `${QEMU}/101/feature`, { feature: "snapshot" })).toMatchObject({ hasFeature: 1 });
});

test("ZFS can roll back only to its newest snapshot", async () => {
  await bench.root.task("POST", QEMU, { vmid: 100, scsi0: "tank:1" });
  await take("one");
  await take("two");
  expect(await bench.root.outcome("POST", `${AT}/snapshot/one/rollback`)).toBe(
    "can't rollback, 'one' is not most recent snapshot on 'tank:vm-100-disk-0'",
  );
});

test("a machine with snapshots cannot become a template, and a snapshot can be cloned", async () => {
  await bench.root.task("POST", QEMU, { vmid: 100, scsi0: "local-lvm:1", cores: 2 });
  await take("one");
  await bench.root.get("PUT", `${AT}/config`, { cores: 4 });
  expect((await bench.root.call("POST", `${AT}/template`)).reason).toBe(
    "unable to create template, because VM contains snapshots",
  );
  await bench.root.task("POST", `${AT}/clone`, { newid: 101, full: 0, snapname: "one" });
  expect((await bench.root.get("GET", `${QEMU}/101/config`)).cores).toBe(2);
  expect((await bench.root.call("POST", `${AT}/clone`, { newid: 102, snapname: "no" })).reason).toBe(
    "snapshot 'no' does not exist",
  );
});

test("a disk that a snapshot needs cannot be deleted", async () => {
  await bench.root.task("POST", QEMU, { vmid: 100, scsi0: "local-lvm:1" });
  await take("one");
  await bench.root.get("PUT", `${AT}/config`, { delete: "scsi0" });
  expect((await bench.root.call("PUT", `${AT}/config`, { delete: "unused0" })).reason).toBe(
    "unable to delete 'local-lvm:vm-100-disk-0' - volume is still in use (snapshot?)",
  );
});

test("the digest includes snapshots and pending changes", async () => {
  await bench.root.task("POST", QEMU, { vmid: 100, scsi0: "local-lvm:1" });
  const before = (await config()).digest;
  await take("one");
  expect((await config()).digest).not.toBe(before);
  await bench.root.task("POST", `${AT}/status/start`);
  const running = (await config()).digest;
  await bench.root.get("PUT", `${AT}/config`, { cores: 3 });
  expect((await config()).digest).not.toBe(running);
});

import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/bench.ts";

/** Messages of qemu-server, API2/Qemu.pm move_vm_disk. */
let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open({
    storages: [
      { id: "files", type: "dir" },
      { id: "tank", type: "zfspool" },
    ],
  });
});
afterEach(() => bench.close());

const QEMU = "/nodes/pve1/qemu";
const move = (vmid: number, form: Record<string, string | number>) =>
  bench.client.call("POST", `${QEMU}/${vmid}/move_disk`, form);
const config = (vmid: number) => bench.client.get("GET", `${QEMU}/${vmid}/config`);

test("a disk moves to another storage, and its old volume stays as unused unless delete is set", async () => {
  await bench.client.task("POST", QEMU, { vmid: 100, scsi0: "local-lvm:1,discard=on" });
  await bench.client.task("POST", `${QEMU}/100/move_disk`, { disk: "scsi0", storage: "files", format: "qcow2" });
  expect(await config(100)).toMatchObject({
    scsi0: "files:100/vm-100-disk-0.qcow2,discard=on,size=1G",
    unused0: "local-lvm:vm-100-disk-0",
  });
  await bench.client.task("POST", `${QEMU}/100/move_disk`, { disk: "scsi0", storage: "tank", delete: 1 });
  expect(await bench.client.get("GET", "/nodes/pve1/storage/files/content")).toEqual([]);
});

test("a disk cannot move to its own storage", async () => {
  await bench.client.task("POST", QEMU, { vmid: 100, scsi0: "local-lvm:1" });
  expect((await move(100, { disk: "scsi0", storage: "local-lvm" })).reason).toBe(
    "you can't move to the same storage with same format",
  );
  expect((await move(100, { disk: "scsi1", storage: "files" })).reason).toBe("disk 'scsi1' does not exist");
  expect((await move(100, { disk: "scsi0", storage: "local" })).body.errors).toEqual({
    storage: "storage 'local' does not support vm images",
  });
});

test("exactly one target is required", async () => {
  await bench.client.task("POST", QEMU, { vmid: 100, scsi0: "local-lvm:1" });
  const missing = "both 'storage' and 'target-vmid' missing, either needs to be set";
  expect((await move(100, { disk: "scsi0" })).body.errors).toEqual({ "target-vmid": missing, storage: missing });
});

test("a disk is reassigned to another machine and gets a name of that machine", async () => {
  await bench.client.task("POST", QEMU, { vmid: 100, scsi0: "local-lvm:1", scsi1: "local-lvm:1", boot: "order=scsi0;scsi1" });
  await bench.client.task("POST", QEMU, { vmid: 101, scsi0: "local-lvm:1" });
  const { upid } = await bench.client.task("POST", `${QEMU}/100/move_disk`, {
    disk: "scsi1",
    "target-vmid": 101,
    "target-disk": "scsi5",
  });
  expect(upid).toContain(":qmmove:100-scsi1%3E101-scsi5:");
  expect(await config(100)).toMatchObject({ boot: "order=scsi0" });
  expect((await config(100)).scsi1).toBeUndefined();
  expect((await config(101)).scsi5).toBe("local-lvm:vm-101-disk-1,size=1G");
});

test("a disk of a running machine must be detached before it is reassigned", async () => {
  await bench.client.task("POST", QEMU, { vmid: 100, scsi0: "local-lvm:1" });
  await bench.client.task("POST", QEMU, { vmid: 101 });
  await bench.client.task("POST", `${QEMU}/100/status/start`);
  expect((await move(100, { disk: "scsi0", "target-vmid": 101 })).reason).toBe(
    "Cannot move disk to another VM while the source VM is running - detach first",
  );
});

test("unlinking keeps a disk as unused, or destroys it with force", async () => {
  await bench.client.task("POST", QEMU, { vmid: 100, scsi0: "local-lvm:1", scsi1: "local-lvm:1" });
  await bench.client.get("PUT", `${QEMU}/100/unlink`, { idlist: "scsi1" });
  expect((await config(100)).unused0).toBe("local-lvm:vm-100-disk-1");
  await bench.client.get("PUT", `${QEMU}/100/unlink`, { idlist: "scsi0", force: 1 });
  const left: { volid: string }[] = await bench.client.get("GET", "/nodes/pve1/storage/local-lvm/content");
  expect(left.map(({ volid }) => volid)).toEqual(["local-lvm:vm-100-disk-1"]);
});

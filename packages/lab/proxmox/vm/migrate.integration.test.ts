import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/bench.ts";

/** Messages of qemu-server 9.2.6, QemuMigrate.pm. */
let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open({
    gpus: { pve1: ["nvidia rtx 4090"] },
    storages: [
      { id: "tank", type: "zfspool" },
      { id: "ceph", type: "rbd" },
      { id: "here", type: "dir", nodes: ["pve1"] },
    ],
  });
});
afterEach(() => bench.close());

const AT = "/nodes/pve1/qemu";
const migrate = async (form: object = {}) =>
  bench.root.end(await bench.root.get("POST", `${AT}/100/migrate`, { target: "pve2", ...form }));

test("a machine with a disk of another id cannot migrate", async () => {
  await bench.root.get("POST", "/nodes/pve1/storage/local-lvm/content", { vmid: 9000, filename: "vm-9000-a", size: "1G" });
  await bench.root.task("POST", AT, { vmid: 100, scsi1: "local-lvm:vm-9000-a" });
  const { exitstatus, log } = await migrate();
  expect(exitstatus).toBe("migration aborted");
  expect(log).toContain("can't migrate local disk 'local-lvm:vm-9000-a': owned by other VM (owner = VM 9000)");
});

test("a linked clone on local storage cannot leave its base", async () => {
  await bench.root.task("POST", AT, { vmid: 99_000, scsi0: "tank:1" });
  await bench.root.task("POST", `${AT}/99000/template`);
  await bench.root.task("POST", `${AT}/99000/clone`, { newid: 100 });
  const { log } = await migrate();
  expect(log.join("\n")).toContain("can't migrate 'tank:base-99000-disk-0/vm-100-disk-0' as it's a clone of 'base-99000-disk-0'");
});

test("disks can migrate to a storage with another name", async () => {
  await bench.root.task("POST", AT, { vmid: 100, scsi0: "local-lvm:1" });
  expect((await migrate({ targetstorage: "ceph" })).exitstatus).toBe("OK");
  expect((await bench.root.get("GET", "/nodes/pve2/qemu/100/config")).scsi0).toBe("ceph:vm-100-disk-0,size=1G");
});

test("a machine with a passed-through card cannot leave its host", async () => {
  await bench.root.task("POST", AT, { vmid: 100, hostpci0: "0000:41:00" });
  expect((await migrate()).exitstatus).toBe("can't migrate VM which uses local devices: hostpci0");
});

test("possible target hosts can be listed", async () => {
  await bench.root.task("POST", AT, { vmid: 100, scsi0: "here:1" });
  expect(await bench.root.get("GET", `${AT}/100/migrate`)).toMatchObject({
    running: 0,
    allowed_nodes: [],
    not_allowed_nodes: { pve2: { unavailable_storages: ["here"] }, pve3: { unavailable_storages: ["here"] } },
    local_disks: [{ volid: "here:100/vm-100-disk-0.raw" }],
  });
});

import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

const AT = "/nodes/pve1/qemu";

async function machine(form: Record<string, string | number> = {}): Promise<void> {
  await bench.client.task("POST", AT, { vmid: 100, ...form });
}

async function template(): Promise<void> {
  await bench.image();
  await machine({
    name: "talos",
    scsi0: "local-lvm:0,import-from=local:import/talos.qcow2,discard=on",
    ide2: "local-lvm:cloudinit",
    net0: "virtio,bridge=vmbr0",
    description: "mark",
    tags: "talos",
  });
  await bench.client.task("POST", `${AT}/100/template`);
}

const config = (vmid: number, node = "pve1") => bench.client.get("GET", `/nodes/${node}/qemu/${vmid}/config`);
const volumes = async () =>
  (await bench.client.get("GET", "/nodes/pve1/storage/local-lvm/content")).map((item: { volid: string }) => item.volid).sort();

test("a disk grows in a task of type resize, also by an amount", async () => {
  await machine({ scsi0: "local-lvm:8" });
  const { upid } = await bench.client.task("PUT", `${AT}/100/resize`, { disk: "scsi0", size: "20G" });
  expect(upid).toContain(":resize:100:");
  expect((await config(100)).scsi0).toBe("local-lvm:vm-100-disk-0,size=20G");
  await bench.client.task("PUT", `${AT}/100/resize`, { disk: "scsi0", size: "+5G" });
  expect((await config(100)).scsi0).toBe("local-lvm:vm-100-disk-0,size=25G");
});

test("an imported disk grows to whole gibibytes", async () => {
  await bench.image();
  await machine({ scsi0: "local-lvm:0,import-from=local:import/talos.qcow2" });
  await bench.client.task("PUT", `${AT}/100/resize`, { disk: "scsi0", size: "40G" });
  expect((await config(100)).scsi0).toBe("local-lvm:vm-100-disk-0,size=40G");
});

test("a disk cannot shrink, and keeping its size is allowed", async () => {
  await machine({ scsi0: "local-lvm:8" });
  expect(await bench.client.outcome("PUT", `${AT}/100/resize`, { disk: "scsi0", size: "4G" })).toBe(
    "shrinking disks is not supported",
  );
  expect(await bench.client.outcome("PUT", `${AT}/100/resize`, { disk: "scsi0", size: "8G" })).toBe("OK");
  expect(await bench.client.outcome("PUT", `${AT}/100/resize`, { disk: "scsi1", size: "8G" })).toBe(
    "disk 'scsi1' does not exist",
  );
});

test("a template's disks are bases", async () => {
  await template();
  const after = await config(100);
  expect(after).toMatchObject({ template: 1, scsi0: "local-lvm:base-100-disk-0,discard=on,size=1248M" });
  expect(after.ide2).toBe("local-lvm:vm-100-cloudinit,media=cdrom");
});

test("a template is converted once, and only while it is stopped", async () => {
  await machine({ scsi0: "local-lvm:1" });
  await bench.client.task("POST", `${AT}/100/status/start`);
  expect((await bench.client.call("POST", `${AT}/100/template`)).reason).toBe(
    "you can't convert a VM to template if VM is running",
  );
  await bench.client.task("POST", `${AT}/100/status/stop`);
  await bench.client.task("POST", `${AT}/100/template`);
  expect((await bench.client.call("POST", `${AT}/100/template`)).reason).toBe("you can't convert a template to a template");
});

test("a clone has new addresses and ids, and the same disk", async () => {
  await template();
  const { upid } = await bench.client.task("POST", `${AT}/100/clone`, { newid: 101, name: "cp-1", full: 1, description: "new" });
  expect(upid).toContain(":qmclone:100:");
  const [source, clone] = [await config(100), await config(101)];
  expect(clone).toMatchObject({
    name: "cp-1",
    description: "new",
    tags: "talos",
    scsi0: "local-lvm:vm-101-disk-0,discard=on,size=1248M",
    ide2: "local-lvm:vm-101-cloudinit,media=cdrom,size=4M",
  });
  expect(clone.template).toBeUndefined();
  expect(clone.lock).toBeUndefined();
  for (const key of ["net0", "smbios1", "vmgenid"]) expect(clone[key]).not.toBe(source[key]);
});

test("the default name of a clone contains its source, and the description is kept", async () => {
  await template();
  await bench.client.task("POST", `${AT}/100/clone`, { newid: 101 });
  expect(await config(101)).toMatchObject({ name: "Copy-of-VM-talos", description: "mark" });
});

test("a clone of a template is linked by default, and uses no space", async () => {
  await template();
  const used = async () => (await bench.client.get("GET", "/nodes/pve1/storage/local-lvm/status")).used;
  const before = await used();
  const { log } = await bench.client.task("POST", `${AT}/100/clone`, { newid: 101 });
  expect(log).toContain("create linked clone of drive scsi0 (local-lvm:base-100-disk-0)");
  expect((await used()) - before).toBe(4 * 1024 ** 2);
});

test("a clone is locked while it is created", async () => {
  const slow = await Bench.open({ timeScale: 10 });
  try {
    await slow.client.task("POST", AT, { vmid: 100, scsi0: "local-lvm:8" });
    const upid = await slow.client.get("POST", `${AT}/100/clone`, { newid: 101 });
    await slow.lab.sleep(500);
    expect((await slow.client.get("GET", `${AT}/101/config`)).lock).toBe("clone");
    expect((await slow.client.end(upid)).exitstatus).toBe("OK");
  } finally {
    await slow.close();
  }
});

test("clones of a template can be created in parallel", async () => {
  await template();
  const upids = await Promise.all(
    [101, 102, 103].map((newid) => bench.client.get("POST", `${AT}/100/clone`, { newid, full: 1 })),
  );
  const ends = await Promise.all(upids.map((upid) => bench.client.end(upid)));
  expect(ends.map((end) => end.exitstatus)).toEqual(["OK", "OK", "OK"]);
});

test.each([
  [{ newid: 101, storage: "local-lvm" }, "parameter 'storage' not allowed for linked clones"],
  [{ newid: 101, full: 1, target: "pve2" }, "can't clone VM to node 'pve2' (VM uses local storage)"],
  [{ newid: 101, full: 1, storage: "local-lvm", target: "pve2" }, "can't clone to non-shared storage 'local-lvm'"],
  [{ newid: 100, full: 1 }, "unable to create VM 100: config file already exists"],
])("cloning with %o is refused", async (form, reason) => {
  await template();
  const answer = await bench.client.call("POST", `${AT}/100/clone`, form);
  expect([answer.status, answer.reason]).toEqual([500, reason]);
});

test("a machine that is not a template has no linked clones", async () => {
  await machine({ scsi0: "local-lvm:1" });
  const answer = await bench.client.call("POST", `${AT}/100/clone`, { newid: 101, full: 0 });
  expect(answer.reason).toBe("Linked clone feature is not supported for 'local-lvm:vm-100-disk-0' (scsi0)");
});

test("cloning needs rights on the source and on the new id", async () => {
  await machine();
  const reader = await bench.userWith("reader", { "/vms/100": "VM.Clone" });
  expect((await reader.call("POST", `${AT}/100/clone`, { newid: 101 })).reason).toBe("Permission check failed");
  const writer = await bench.userWith("writer", { "/vms/101": "VM.Allocate" });
  expect((await writer.call("POST", `${AT}/100/clone`, { newid: 101 })).reason).toBe(
    "Permission check failed (/vms/100, VM.Clone)",
  );
});

test("a failed clone leaves nothing behind", async () => {
  const small = await Bench.open({ disksGiB: 2 });
  try {
    await small.image();
    await small.client.task("POST", AT, { vmid: 100, scsi0: "local-lvm:0,import-from=local:import/talos.qcow2" });
    const status = await small.client.outcome("POST", `${AT}/100/clone`, { newid: 101 });
    expect(status).toMatch(/^clone failed: copy failed: command .* failed: exit code 1$/);
    expect((await small.client.call("GET", `${AT}/101/config`)).status).toBe(500);
    expect(await small.client.get("GET", "/nodes/pve1/storage/local-lvm/content")).toHaveLength(1);
  } finally {
    await small.close();
  }
});

test("destroying a machine removes its disks, unused ones and the cloud-init drive; ISOs stay", async () => {
  await machine({ scsi0: "local-lvm:1", scsi1: "local-lvm:1", ide2: "local-lvm:cloudinit" });
  await bench.client.get("PUT", `${AT}/100/config`, { delete: "scsi1" });
  expect(await volumes()).toHaveLength(3);
  await bench.client.task("DELETE", `${AT}/100`, { purge: 1, "destroy-unreferenced-disks": 1 });
  expect(await volumes()).toEqual([]);
  expect((await bench.client.call("GET", `${AT}/100/config`)).status).toBe(500);
});

test("destroying a machine removes the memory kept by its snapshots", async () => {
  await machine({ scsi0: "local-lvm:1" });
  await bench.client.task("POST", `${AT}/100/status/start`);
  await bench.root.task("POST", `${AT}/100/snapshot`, { snapname: "one", vmstate: 1 });
  expect(await volumes()).toEqual(["local-lvm:vm-100-disk-0", "local-lvm:vm-100-state-one"]);
  await bench.client.task("POST", `${AT}/100/status/stop`);
  await bench.client.task("DELETE", `${AT}/100`);
  expect(await volumes()).toEqual([]);
});

test("destroying a machine keeps volumes of other ids, devices of the host, and volumes it does not name", async () => {
  await machine({ scsi0: "local-lvm:1" });
  const allocate = (vmid: number, filename: string) =>
    bench.root.get("POST", "/nodes/pve1/storage/local-lvm/content", { vmid, filename, size: "1G" });
  await allocate(555, "vm-555-theirs");
  await allocate(100, "vm-100-unnamed");
  await bench.root.get("PUT", `${AT}/100/config`, { scsi5: "local-lvm:vm-555-theirs", scsi6: "/dev/disk/by-id/ata-theirs" });
  await bench.root.task("DELETE", `${AT}/100`, { purge: 1 });
  expect(await volumes()).toEqual(["local-lvm:vm-100-unnamed", "local-lvm:vm-555-theirs"]);
});

test("a stopped machine migrates with its disks", async () => {
  await bench.image();
  await machine({ scsi0: "local-lvm:0,import-from=local:import/talos.qcow2" });
  const mover = bench.root;
  const local = await mover.call("POST", `${AT}/100/migrate`, { target: "pve1" });
  expect(local.body.errors).toEqual({ target: "target is local node." });
  await mover.task("POST", `${AT}/100/migrate`, { target: "pve2" });
  expect((await config(100, "pve2")).scsi0).toBe("local-lvm:vm-100-disk-0,size=1248M");
  expect((await bench.client.call("GET", `${AT}/100/config`)).status).toBe(500);
  expect(await volumes()).toEqual([]);
});

test("a disk whose name exists on the target gets a free name", async () => {
  await bench.root.task("POST", "/nodes/pve2/qemu", { vmid: 100, scsi0: "local-lvm:3" });
  await bench.root.get("PUT", "/nodes/pve2/qemu/100/config", { delete: "scsi0" });
  bench.lab.turn(() => {
    delete bench.lab.state<{ vms: Record<string, unknown> }>("proxmox").vms[100];
  });
  await machine({ scsi0: "local-lvm:1" });
  await bench.root.task("POST", `${AT}/100/migrate`, { target: "pve2" });
  expect((await config(100, "pve2")).scsi0).toBe("local-lvm:vm-100-disk-1,size=1G");
});

test("a running machine is not migrated without online", async () => {
  await machine();
  await bench.client.task("POST", `${AT}/100/status/start`);
  expect((await bench.root.call("POST", `${AT}/100/migrate`, { target: "pve2" })).reason).toBe(
    "can't migrate running VM without --online",
  );
});

test("an ISO in a drive is shown with its size", async () => {
  const schematic = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";
  await bench.client.task("POST", "/nodes/pve1/storage/local/download-url", {
    url: `${bench.factory}/image/${schematic}/v1.13.9/metal-amd64.iso`,
    content: "iso",
    filename: "talos.iso",
  });
  await machine({ ide2: "local:iso/talos.iso,media=cdrom" });
  expect((await config(100)).ide2).toBe("local:iso/talos.iso,media=cdrom,size=102M");
});

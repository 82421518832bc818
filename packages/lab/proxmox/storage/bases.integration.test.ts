import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/bench.ts";

/** Storages with bases and linked clones, and how they name them (docs/facts/proxmox.md#volume-names, pve-storage's plugins). */
let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open({
    storages: [
      { id: "tank", type: "zfspool" },
      { id: "ceph", type: "rbd" },
      { id: "vg", type: "lvm" },
      { id: "files", type: "dir" },
      { id: "nas", type: "nfs" },
    ],
  });
});
afterEach(() => bench.close());

const AT = "/nodes/pve1/qemu";
const scsi0 = async (vmid: number, node = "pve1") => (await bench.client.get("GET", `/nodes/${node}/qemu/${vmid}/config`)).scsi0;

async function template(storage: string): Promise<void> {
  await bench.client.task("POST", AT, { vmid: 100, scsi0: `${storage}:1` });
  await bench.client.task("POST", `${AT}/100/template`);
}

test.each([
  ["local-lvm", "local-lvm:base-100-disk-0,size=1G", "local-lvm:vm-101-disk-0,size=1G"],
  ["tank", "tank:base-100-disk-0,size=1G", "tank:base-100-disk-0/vm-101-disk-0,size=1G"],
  ["ceph", "ceph:base-100-disk-0,size=1G", "ceph:base-100-disk-0/vm-101-disk-0,size=1G"],
  ["files", "files:100/base-100-disk-0.raw,size=1G", "files:100/base-100-disk-0.raw/101/vm-101-disk-0.qcow2,size=1G"],
])("on %s a base and its linked clone have the storage's names", async (storage, base, clone) => {
  await template(storage);
  expect(await scsi0(100)).toBe(base);
  await bench.client.task("POST", `${AT}/100/clone`, { newid: 101 });
  expect(await scsi0(101)).toBe(clone);
});

test("a plain volume group has no bases: clones of a template are full ones", async () => {
  await template("vg");
  expect(await scsi0(100)).toBe("vg:vm-100-disk-0,size=1G");
  expect((await bench.client.call("POST", `${AT}/100/clone`, { newid: 101 })).reason).toBe(
    "Linked clone feature is not supported for 'vg:vm-100-disk-0' (scsi0)",
  );
  await bench.client.task("POST", `${AT}/100/clone`, { newid: 101, full: 1 });
});

test.each(["tank", "ceph", "files"])("on %s a template with linked clones cannot be deleted", async (storage) => {
  await template(storage);
  await bench.client.task("POST", `${AT}/100/clone`, { newid: 101 });
  expect(await bench.client.outcome("DELETE", `${AT}/100`)).toMatch(/^base volume '.*' is still in use by linked cloned$/);
  await bench.client.task("DELETE", `${AT}/101`);
  expect(await bench.client.outcome("DELETE", `${AT}/100`)).toBe("OK");
});

test("LVM-thin allows deleting a template with linked clones", async () => {
  await template("local-lvm");
  await bench.client.task("POST", `${AT}/100/clone`, { newid: 101 });
  expect(await bench.client.outcome("DELETE", `${AT}/100`)).toBe("OK");
});

test("a clone for another host is possible when everything is on shared storage", async () => {
  await template("ceph");
  await bench.client.task("POST", `${AT}/100/clone`, { newid: 101, target: "pve2" });
  expect(await scsi0(101, "pve2")).toBe("ceph:base-100-disk-0/vm-101-disk-0,size=1G");
  await bench.client.task("POST", AT, { vmid: 200, scsi0: "local-lvm:1" });
  expect((await bench.client.call("POST", `${AT}/200/clone`, { newid: 201, target: "pve2" })).reason).toBe(
    "can't clone VM to node 'pve2' (VM uses local storage)",
  );
});

test("an unsupported format is replaced, with a message", async () => {
  await bench.client.task("POST", AT, { vmid: 100, scsi0: "files:1,format=qcow2" });
  const { log } = await bench.client.task("POST", `${AT}/100/clone`, {
    newid: 101,
    full: 1,
    storage: "local-lvm",
    format: "qcow2",
  });
  expect(log).toContain("format 'qcow2' is not supported by the target storage 'local-lvm' - using 'raw' instead");
  expect(await scsi0(101)).toBe("local-lvm:vm-101-disk-0,size=1G");
});

test.each([
  ["local-lvm", "local-lvm:vm-100-disk-0,efitype=4m,pre-enrolled-keys=0,size=4M", "4M"],
  ["tank", "tank:vm-100-disk-0,efitype=4m,pre-enrolled-keys=0,size=1M", "4M"],
  ["files", "files:100/vm-100-disk-0.raw,efitype=4m,pre-enrolled-keys=0,size=528K", "4M"],
])("EFI variables and TPM state have their own sizes on %s", async (storage, efidisk0, tpm) => {
  await bench.client.task("POST", AT, {
    vmid: 100,
    efidisk0: `${storage}:1,efitype=4m,pre-enrolled-keys=0`,
    tpmstate0: `${storage}:1,version=v2.0`,
  });
  const config = await bench.client.get("GET", `${AT}/100/config`);
  expect(config.efidisk0).toBe(efidisk0);
  expect(config.tpmstate0).toMatch(new RegExp(`,size=${tpm},version=v2.0$`));
});

test("enrolled keys are marked with Microsoft's newer certificate on 9, not on 8.4", async () => {
  const form = { vmid: 100, efidisk0: "local-lvm:1,efitype=4m,pre-enrolled-keys=1" };
  await bench.client.task("POST", AT, form);
  expect((await bench.client.get("GET", `${AT}/100/config`)).efidisk0).toBe(
    "local-lvm:vm-100-disk-0,efitype=4m,ms-cert=2023k,pre-enrolled-keys=1,size=4M",
  );
  const old = await Bench.open({ version: "8.4" });
  try {
    await old.client.task("POST", AT, form);
    expect((await old.client.get("GET", `${AT}/100/config`)).efidisk0).toBe(
      "local-lvm:vm-100-disk-0,efitype=4m,pre-enrolled-keys=1,size=4M",
    );
  } finally {
    await old.close();
  }
});

test("a TPM keeps its version", async () => {
  await bench.client.task("POST", AT, { vmid: 100, tpmstate0: "local-lvm:1,version=v2.0" });
  const answer = await bench.client.call("PUT", `${AT}/100/config`, { tpmstate0: "local-lvm:vm-100-disk-0,version=v1.2" });
  expect(answer.reason).toBe("cannot change TPM state version after creation");
});

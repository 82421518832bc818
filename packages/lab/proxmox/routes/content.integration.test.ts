import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/bench.ts";

/** Literal messages are those in the source of pve-storage's plugins (alloc_image, free_image). */
let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open({
    storages: [
      { id: "tank", type: "zfspool", totalGiB: 20 },
      { id: "ceph", type: "rbd" },
      { id: "vg", type: "lvm", totalGiB: 10 },
      { id: "nas", type: "nfs" },
      { id: "only2", type: "dir", nodes: ["pve2"] },
      { id: "off", type: "dir", disabled: true },
    ],
  });
});
afterEach(() => bench.close());

const QEMU = "/nodes/pve1/qemu";
const at = (storage: string, node = "pve1") => `/nodes/${node}/storage/${storage}/content`;
const make = (storage: string, form: Record<string, string | number>) => bench.client.call("POST", at(storage), form);

test.each([
  ["local-lvm", "vm-9000-lab-w1-data", "local-lvm:vm-9000-lab-w1-data", 1 << 30],
  ["tank", "vm-9000-lab-w1-data", "tank:vm-9000-lab-w1-data", 1 << 30],
  ["ceph", "vm-9000-lab-w1-data", "ceph:vm-9000-lab-w1-data", 1 << 30],
  ["vg", "vm-9000-lab-w1-data", "vg:vm-9000-lab-w1-data", 1 << 30],
  ["nas", "vm-9000-lab-w1-data.qcow2", "nas:9000/vm-9000-lab-w1-data.qcow2", 1 << 30],
])("an image can be created on %s for a machine that does not exist", async (storage, filename, volid, size) => {
  const answer = await make(storage, { vmid: 9000, filename, size: "1G" });
  expect(answer.body.data).toBe(volid);
  const [listed] = await bench.root.get("GET", at(storage), { vmid: 9000 });
  expect(listed).toMatchObject({ volid, size, vmid: 9000, content: "images" });
});

test("a bare number is in kibibytes, and each storage rounds up differently", async () => {
  for (const [storage, size] of [
    ["local-lvm", 4 << 20],
    ["tank", 1 << 20],
    ["ceph", 1 << 20],
  ] as const) {
    await make(storage, { vmid: 9000, filename: "vm-9000-x", size: 528 });
    expect((await bench.root.get("GET", at(storage)))[0].size).toBe(size);
  }
});

test.each([
  ["local-lvm", "data", "illegal name 'data' - should be 'vm-9000-*'"],
  ["local-lvm", "vm-9001-data", "illegal name 'vm-9001-data' - should be 'vm-9000-*'"],
  ["nas", "vm-9000-data", "unable to parse volume filename 'vm-9000-data'"],
])("on %s an image cannot be called %s", async (storage, filename, reason) => {
  const answer = await make(storage, { vmid: 9000, filename, size: "1G" });
  expect([answer.status, answer.reason]).toEqual([500, reason]);
});

test.each([
  ["local-lvm", "vm-9000-a", `lvcreate 'pve/vm-9000-a' error:   Logical Volume "vm-9000-a" already exists in volume group "pve"`],
  ["tank", "vm-9000-a", "zfs error: cannot create 'tank/vm-9000-a': dataset already exists"],
  ["nas", "vm-9000-a.raw", "disk image '/mnt/pve/nas/images/9000/vm-9000-a.raw' already exists"],
])("on %s an existing name is refused", async (storage, filename, reason) => {
  await make(storage, { vmid: 9000, filename, size: "1G" });
  expect((await make(storage, { vmid: 9000, filename, size: "1G" })).reason).toBe(reason);
});

test("a thick volume needs its whole size at once, a thin one does not", async () => {
  expect((await make("vg", { vmid: 9000, filename: "vm-9000-a", size: "11G" })).reason).toBe(
    "not enough free space (10485760 < 11534336)",
  );
  expect((await make("tank", { vmid: 9000, filename: "vm-9000-a", size: "21G" })).reason).toBe(
    "zfs error: cannot create 'tank/vm-9000-a': out of space",
  );
  expect((await make("local-lvm", { vmid: 9000, filename: "vm-9000-a", size: "9000G" })).status).toBe(200);
});

test("a thick volume cannot grow beyond the free space", async () => {
  await bench.client.task("POST", QEMU, { vmid: 100, scsi0: "vg:6", scsi1: "tank:15" });
  expect(await bench.client.outcome("PUT", `${QEMU}/100/resize`, { disk: "scsi0", size: "+5G" })).toMatch(
    /^error resizing volume '\/dev\/vg\/vm-100-disk-0': {3}Insufficient free space: 1280 extents needed/,
  );
  expect(await bench.client.outcome("PUT", `${QEMU}/100/resize`, { disk: "scsi1", size: "25G" })).toBe(
    "zfs error: cannot set property for 'tank/vm-100-disk-0': size is greater than available space",
  );
  expect(await bench.client.outcome("PUT", `${QEMU}/100/resize`, { disk: "scsi0", size: "+3G" })).toBe("OK");
});

test("an unknown content type is refused, and so is a list where one type is expected", async () => {
  const errors = async (method: string, path: string, form: Record<string, string>) => {
    const answer = await bench.root.call(method, path, form);
    return [answer.status, answer.body.errors];
  };
  const invalid = (what: string) => [400, { content: `invalid format - invalid content type '${what}'\n` }];
  expect(await errors("GET", at("local"), { content: "nope" })).toEqual(invalid("nope"));
  expect(await errors("GET", at("local"), { content: "iso,backup" })).toEqual(invalid("iso,backup"));
  expect(await errors("GET", "/nodes/pve1/storage", { content: "iso,nope" })).toEqual(invalid("nope"));
  expect(await errors("PUT", "/storage/local", { content: "nope" })).toEqual(invalid("nope"));
  expect((await errors("GET", "/nodes/pve1/storage", { content: "iso,backup" }))[0]).toBe(200);
});

test("a format that differs from the name's extension is refused", async () => {
  const answer = await make("nas", { vmid: 9000, filename: "vm-9000-a.qcow2", format: "raw", size: "1G" });
  expect(answer.body.errors).toEqual({ format: "different storage formats (raw != qcow2)" });
});

test("a storage answers only on its hosts, and only while it is enabled", async () => {
  expect((await make("only2", { vmid: 9000, filename: "vm-9000-a.raw", size: "1G" })).reason).toBe(
    "storage 'only2' is not available on node 'pve1'",
  );
  expect((await make("off", { vmid: 9000, filename: "vm-9000-a.raw", size: "1G" })).reason).toBe("storage 'off' is disabled");
  const listed: { storage: string; active: number; enabled: number }[] = await bench.client.get("GET", "/nodes/pve1/storage");
  expect(listed.map(({ storage }) => storage)).not.toContain("only2");
  expect(listed.find(({ storage }) => storage === "off")).toMatchObject({ active: 0, enabled: 0, total: 0 });
});

test("a volume on shared storage exists on every host", async () => {
  await make("ceph", { vmid: 9000, filename: "vm-9000-a", size: "1G" });
  expect(await bench.client.get("GET", at("ceph", "pve3"))).toHaveLength(1);
});

test("a disk with another owner id is attached, survives its machine's deletion, and is kept when it is detached", async () => {
  await make("local-lvm", { vmid: 9000, filename: "vm-9000-lab-w1-data", size: "1G" });
  const value = "local-lvm:vm-9000-lab-w1-data,serial=data";
  await bench.client.task("POST", QEMU, { vmid: 100, scsi0: "local-lvm:1", scsi1: value });
  expect((await bench.client.get("GET", `${QEMU}/100/config`)).scsi1).toBe("local-lvm:vm-9000-lab-w1-data,serial=data,size=1G");
  await bench.client.get("PUT", `${QEMU}/100/config`, { delete: "scsi1" });
  expect(Object.keys(await bench.client.get("GET", `${QEMU}/100/config`)).filter((key) => key.startsWith("unused"))).toEqual([]);
  await bench.client.get("PUT", `${QEMU}/100/config`, { scsi1: value });
  await bench.client.task("DELETE", `${QEMU}/100`, { purge: 1, "destroy-unreferenced-disks": 1 });
  const left: { volid: string }[] = await bench.client.get("GET", at("local-lvm"));
  expect(left.map(({ volid }) => volid)).toEqual(["local-lvm:vm-9000-lab-w1-data"]);
});

test("using another machine's disk needs Datastore.Audit and VM.Config.Disk on its owner", async () => {
  await make("local-lvm", { vmid: 9000, filename: "vm-9000-a", size: "1G" });
  const form = { vmid: 100, scsi1: "local-lvm:vm-9000-a" };
  const without = await bench.userWith("without", { "/vms/100": "VM.Allocate", "/storage/local-lvm": "Datastore.Audit" });
  expect((await without.call("POST", QEMU, form)).reason).toBe("Permission check failed (/vms/9000, VM.Config.Disk)");
  const blind = await bench.userWith("blind", { "/vms": "VM.Allocate VM.Config.Disk" });
  expect((await blind.call("POST", QEMU, form)).reason).toBe("Permission check failed (/storage/local-lvm, Datastore.Audit)");
});

test("only backups have notes", async () => {
  await bench.image();
  const answer = await bench.client.call("PUT", `${at("local")}/local:import/talos.qcow2`, { notes: "x" });
  expect([answer.status, answer.reason]).toEqual([500, "only backups can have notes"]);
  await make("local-lvm", { vmid: 9000, filename: "vm-9000-a", size: "1G" });
  expect((await bench.root.call("PUT", `${at("local-lvm")}/vm-9000-a`, { notes: "x" })).reason).toBe(
    "attribute 'notes' is not supported for storage type 'lvmthin'",
  );
});

test("removing a missing file succeeds, removing a missing volume fails", async () => {
  expect(await bench.root.outcome("DELETE", `${at("local")}/local:iso/gone.iso`)).toBe("OK");
  expect(await bench.root.outcome("DELETE", `${at("local-lvm")}/local-lvm:vm-100-disk-0`)).toMatch(
    /^lvremove 'pve\/vm-100-disk-0'/,
  );
});

test("storages can be defined and removed with the necessary right", async () => {
  expect((await bench.client.call("POST", "/storage", { storage: "new", type: "nfs" })).status).toBe(403);
  await bench.root.get("POST", "/storage", {
    storage: "new",
    type: "nfs",
    server: "nas",
    export: "/x",
    content: "images,import",
  });
  expect(await bench.root.get("GET", "/storage/new")).toMatchObject({ type: "nfs", path: "/mnt/pve/new", shared: 1 });
  expect((await bench.root.call("POST", "/storage", { storage: "new", type: "dir" })).reason).toBe(
    "create storage failed: storage ID 'new' already defined",
  );
  await bench.root.get("DELETE", "/storage/new");
  expect((await bench.root.call("GET", "/storage/new")).status).toBe(500);
});

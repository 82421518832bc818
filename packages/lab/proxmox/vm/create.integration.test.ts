import { afterEach, beforeEach, expect, test } from "vitest";
import { Bench } from "../testing/bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

const AT = "/nodes/pve1/qemu";

async function created(form: Record<string, string | number>) {
  await bench.client.task("POST", AT, { vmid: 100, ...form });
  return bench.client.get("GET", `${AT}/100/config`);
}

test("a machine for Talos is read back in Proxmox's format", async () => {
  await bench.image();
  const config = await created({
    name: "cp-1",
    memory: 4096,
    cores: 2,
    cpu: "host",
    scsihw: "virtio-scsi-pci",
    bios: "ovmf",
    machine: "type=q35",
    efidisk0: "local-lvm:1,efitype=4m,pre-enrolled-keys=0",
    scsi0: "local-lvm:0,import-from=local:import/talos.qcow2,ssd=1,discard=on,iothread=on",
    ide2: "local-lvm:cloudinit",
    net0: "virtio,bridge=vmbr0",
    ipconfig0: "ip=10.0.0.5/24,gw=10.0.0.1",
    nameserver: "10.0.0.1",
    serial0: "socket",
    onboot: 1,
    agent: "enabled=1",
    ostype: "l26",
    tags: "Talos;b,a a",
    description: "made by us  \n\n",
    boot: "order=scsi0",
  });
  expect(config).toMatchObject({
    // A string in Perl, and so in JSON (docs/facts/proxmox.md#answers).
    memory: "4096",
    cores: 2,
    machine: "q35",
    onboot: 1,
    agent: "enabled=1",
    efidisk0: "local-lvm:vm-100-disk-0,efitype=4m,pre-enrolled-keys=0,size=4M",
    scsi0: "local-lvm:vm-100-disk-1,discard=on,iothread=1,size=1248M,ssd=1",
    ide2: "local-lvm:vm-100-cloudinit,media=cdrom",
    tags: "a;b;talos",
    description: "made by us",
    boot: "order=scsi0",
  });
  expect(config.net0).toMatch(/^virtio=BC:24:11(:[0-9A-F]{2}){3},bridge=vmbr0$/);
  expect(config.smbios1).toMatch(/^uuid=[0-9a-f-]{36}$/);
  expect(config.vmgenid).toMatch(/^[0-9a-f-]{36}$/);
  expect(config.meta).toMatch(/^creation-qemu=[\d.]+,ctime=\d+$/);
  expect(config.digest).toMatch(/^[0-9a-f]{40}$/);
});

test("the default boot order is first disk, first CD, first network", async () => {
  const config = await created({ scsi0: "local-lvm:8", ide2: "none,media=cdrom", net0: "virtio,bridge=vmbr0" });
  expect(config.boot).toBe("order=scsi0;ide2;net0");
});

test("without devices the boot order is a blank", async () => {
  expect((await created({})).boot).toBe(" ");
});

test("disks are numbered in the order of their keys", async () => {
  const config = await created({
    virtio0: "local-lvm:1",
    scsi0: "local-lvm:1",
    sata0: "local-lvm:1",
    efidisk0: "local-lvm:1",
    tpmstate0: "local-lvm:1,version=v2.0",
  });
  expect(config).toMatchObject({
    efidisk0: "local-lvm:vm-100-disk-0,size=4M",
    sata0: "local-lvm:vm-100-disk-1,size=1G",
    scsi0: "local-lvm:vm-100-disk-2,size=1G",
    tpmstate0: "local-lvm:vm-100-disk-3,size=4M,version=v2.0",
    virtio0: "local-lvm:vm-100-disk-4,size=1G",
  });
});

test("1024 GiB are printed as 1T, and LVM rounds up to 4 MiB", async () => {
  const config = await created({ scsi0: "local-lvm:1024", scsi1: "local-lvm:0.001" });
  expect(config.scsi0).toBe("local-lvm:vm-100-disk-0,size=1T");
  expect(config.scsi1).toBe("local-lvm:vm-100-disk-1,size=4M");
});

test("until the worker has finished there is only a lock", async () => {
  const slow = await Bench.open({ timeScale: 1 });
  try {
    const upid = await slow.client.get("POST", AT, { vmid: 100, name: "x", scsi0: "local-lvm:1" });
    const config = await slow.client.get("GET", `${AT}/100/config`);
    expect(Object.keys(config).sort()).toEqual(["digest", "lock"]);
    expect(config.lock).toBe("create");
    const refused = await slow.client.call("PUT", `${AT}/100/config`, { cores: 2 });
    expect([refused.status, refused.reason]).toEqual([500, "VM is locked (create)"]);
    expect((await slow.client.end(upid)).exitstatus).toBe("OK");
    expect((await slow.client.get("GET", `${AT}/100/config`)).lock).toBeUndefined();
  } finally {
    await slow.close();
  }
});

test("an id is unique in the cluster", async () => {
  await created({});
  const answer = await bench.client.call("POST", "/nodes/pve2/qemu", { vmid: 100 });
  expect([answer.status, answer.reason]).toEqual([500, "unable to create VM 100 - VM 100 already exists on node 'pve1'"]);
});

test("a machine is visible only through its own host", async () => {
  await created({});
  const answer = await bench.client.call("GET", "/nodes/pve2/qemu/100/config");
  expect(answer.reason).toBe("Configuration file 'nodes/pve2/qemu-server/100.conf' does not exist");
});

test("a creation that fails in the worker leaves nothing behind", async () => {
  const end = await bench.client.end(
    await bench.client.get("POST", AT, {
      vmid: 100,
      efidisk0: "local-lvm:1",
      scsi0: "local-lvm:0,import-from=local:import/no.qcow2",
    }),
  );
  expect(end.exitstatus).toBe("unable to create VM 100 - failed to stat '/var/lib/vz/import/no.qcow2'");
  expect(end.log.at(-1)).toBe(`TASK ERROR: ${end.exitstatus}`);
  expect((await bench.client.call("GET", `${AT}/100/config`)).status).toBe(500);
  expect(await bench.client.get("GET", "/nodes/pve1/storage/local-lvm/content")).toEqual([]);
});

test("a created disk is named in the log", async () => {
  const { log } = await bench.client.task("POST", AT, { vmid: 100, scsi0: "local-lvm:20,iothread=1" });
  expect(log).toContain("scsi0: successfully created disk 'local-lvm:vm-100-disk-0,iothread=1,size=20G'");
  expect(log.at(-1)).toBe("TASK OK");
});

test("an image larger than the free space cannot be imported", async () => {
  const small = await Bench.open({ disksGiB: 1 });
  try {
    await small.image();
    const form = { vmid: 100, scsi0: "local-lvm:0,import-from=local:import/talos.qcow2" };
    const { exitstatus, log } = await small.client.end(await small.client.get("POST", AT, form));
    expect(exitstatus).toMatch(
      /^unable to create VM 100 - copy failed: command '\/usr\/bin\/qemu-img convert .*' failed: exit code 1$/,
    );
    expect(log).toContain("qemu-img: error while writing at byte 0: No space left on device");
  } finally {
    await small.close();
  }
});

test.each([
  [
    "local-lvm:8,import-from=local:import/a.qcow2",
    "'import-from' requires special syntax - use <storage ID>:0,import-from=<source>",
  ],
  ["local-lvm:0,import-from=local:iso/a.iso", "local:iso/a.iso has wrong type 'iso' - needs to be 'images' or 'import'"],
  ["local:iso/a.iso", "explicit 'media=cdrom' is required for iso images"],
])("scsi0=%s is a parameter error", async (scsi0, problem) => {
  const answer = await bench.client.call("POST", AT, { vmid: 100, scsi0 });
  expect([answer.status, answer.body.errors]).toEqual([400, { scsi0: problem }]);
});

test("a storage for files refuses disks", async () => {
  const answer = await bench.client.call("POST", AT, { vmid: 100, scsi0: "local:8" });
  expect(answer.body.errors).toEqual({ storage: "storage 'local' does not support vm images" });
});

test("a second cloud-init drive is refused", async () => {
  const status = await bench.client.outcome("POST", AT, { vmid: 100, ide2: "local-lvm:cloudinit", ide3: "local-lvm:cloudinit" });
  expect(status).toBe("unable to create VM 100 - ide3 - cloud-init drive is already attached at 'ide2'");
});

test("start=1 starts the machine in a separate task", async () => {
  const { log } = await bench.client.task("POST", AT, { vmid: 100, start: 1 });
  expect(log).toContain("Execute autostart");
  const [start] = await bench.client.get("GET", "/nodes/pve1/tasks", { source: "all", typefilter: "qmstart" });
  expect((await bench.client.end(start.upid)).exitstatus).toBe("OK");
  expect((await bench.client.get("GET", `${AT}/100/status/current`)).status).toBe("running");
});

test("a pool that does not exist is a permission error", async () => {
  const answer = await bench.root.call("POST", AT, { vmid: 100, pool: "none" });
  expect([answer.status, answer.reason]).toEqual([403, "Permission check failed (pool 'none' does not exist)"]);
});

test("the id of a destroyed machine can be used at once", async () => {
  await created({});
  const gone = await bench.client.get("DELETE", `${AT}/100`);
  expect(gone).toContain(":qmdestroy:100:");
  await bench.client.task("POST", AT, { vmid: 100, name: "again" });
  expect((await bench.client.get("GET", `${AT}/100/config`)).name).toBe("again");
});

// docs/facts/proxmox.md#privileges-per-option
test.each([
  [{ cores: 2 }, "VM.Config.CPU"],
  [{ memory: 512 }, "VM.Config.Memory"],
  [{ machine: "q35" }, "VM.Config.HWType"],
  [{ serial0: "socket" }, "VM.Config.HWType"],
  [{ name: "x" }, "VM.Config.Options"],
  [{ net0: "virtio" }, "VM.Config.Network"],
  [{ boot: "order=net0" }, "VM.Config.Disk"],
])("%o needs %s", async (form, privilege) => {
  const user = await bench.userWith("limited", { "/vms": "VM.Allocate" });
  const answer = await user.call("POST", AT, { vmid: 100, ...form });
  expect([answer.status, answer.reason]).toEqual([403, `Permission check failed (/vms/100, ${privilege})`]);
});

test("cloud-init needs either of two privileges", async () => {
  const user = await bench.userWith("nocloud", { "/vms": "VM.Allocate" });
  const answer = await user.call("POST", AT, { vmid: 100, ipconfig0: "ip=dhcp" });
  expect(answer.reason).toBe("Permission check failed (/vms/100, VM.Config.Cloudinit|VM.Config.Network)");
});

test("a new disk needs rights on its storage, a network card on its bridge", async () => {
  const user = await bench.userWith("poor", { "/vms": "VM.Allocate VM.Config.Network" });
  expect((await user.call("POST", AT, { vmid: 100, scsi0: "local-lvm:1" })).reason).toBe(
    "Permission check failed (/storage/local-lvm, Datastore.AllocateSpace)",
  );
  expect((await user.call("POST", AT, { vmid: 100, net0: "virtio,bridge=vmbr0,tag=7" })).reason).toBe(
    "Permission check failed (/sdn/zones/localnetwork/vmbr0/7, SDN.Use)",
  );
});

test("startup needs a right on the host, too", async () => {
  expect((await bench.client.call("POST", AT, { vmid: 100, startup: "order=1" })).reason).toBe(
    "Permission check failed (/, Sys.Modify)",
  );
});

test.each(["args", "affinity", "hookscript", "vmgenid"])("only root sets %s", async (key) => {
  const value = key === "vmgenid" ? "1" : key === "affinity" ? "0-1" : "x";
  const answer = await bench.client.call("POST", AT, { vmid: 100, [key]: value });
  expect([answer.status, answer.reason]).toEqual([500, `only root can set '${key}' config`]);
});

test("raw PCI devices are for root, mapped ones for users with the right to the mapping", async () => {
  expect((await bench.client.call("POST", AT, { vmid: 100, hostpci0: "0000:01:00" })).reason).toBe(
    "only root can set 'hostpci0' config for non-mapped devices",
  );
  const stranger = await bench.userWith("stranger", { "/vms": "VM.Allocate VM.Config.HWType" });
  expect((await stranger.call("POST", AT, { vmid: 100, hostpci0: "mapping=gpu0,pcie=1" })).reason).toBe(
    "Permission check failed (/mapping/pci/gpu0, Mapping.Use)",
  );
});

test("a user with rights only through the pool fails at tags, in the task", async () => {
  await bench.root.get("POST", "/pools", { poolid: "mine" });
  const user = await bench.userWith("pooled", { "/pool/mine": "VM.Allocate VM.Config.Options" });
  const upid = await user.get("POST", AT, { vmid: 100, pool: "mine", name: "a", tags: "x" });
  expect((await user.end(upid)).exitstatus).toBe(
    "unable to create VM 100 - Permission check failed (/vms/100, VM.Config.Options)",
  );
});

test("paths on the host are for root", async () => {
  const answer = await bench.client.call("POST", AT, { vmid: 100, scsi0: "/dev/sdb" });
  expect(answer.reason).toBe("Only root can pass arbitrary filesystem paths.");
});

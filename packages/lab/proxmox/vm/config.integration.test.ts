import { afterEach, beforeEach, expect, test } from "vitest";
import { proxmoxState } from "../state.ts";
import { Bench } from "../testing/bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

const AT = "/nodes/pve1/qemu/100";

async function machine(form: Record<string, string | number> = {}, running = false): Promise<void> {
  await bench.client.task("POST", "/nodes/pve1/qemu", { vmid: 100, ...form });
  if (running) await bench.client.task("POST", `${AT}/status/start`);
}

const set = (form: Record<string, string | number>) => bench.client.get("PUT", `${AT}/config`, form);
const config = (form = {}) => bench.client.get("GET", `${AT}/config`, form);

async function pending(): Promise<Record<string, { value?: unknown; pending?: unknown; delete?: number }>> {
  const list = (await bench.client.get("GET", `${AT}/pending`)) as { key: string }[];
  return Object.fromEntries(list.map(({ key, ...rest }) => [key, rest]));
}

test("a change returns null and is applied", async () => {
  await machine();
  expect(await set({ cores: 4 })).toBeNull();
  expect((await config()).cores).toBe(4);
});

test("an update without changes is an error", async () => {
  await machine();
  expect((await bench.client.call("PUT", `${AT}/config`)).reason).toBe("no options specified");
});

test("an old digest is refused", async () => {
  await machine();
  const { digest } = await config();
  await set({ cores: 2, digest });
  const answer = await bench.client.call("PUT", `${AT}/config`, { cores: 3, digest });
  expect([answer.status, answer.reason]).toEqual([500, "checksum mismatch (file change by other user?)"]);
});

test("setting and deleting the same option is a contradiction", async () => {
  await machine();
  const answer = await bench.client.call("PUT", `${AT}/config`, { cores: 2, delete: "cores" });
  expect(answer.body.errors).toEqual({ delete: "you can't use '-cores' and -delete cores' at the same time" });
});

test("an unknown option cannot be deleted, an unset one can", async () => {
  await machine();
  const answer = await bench.client.call("PUT", `${AT}/config`, { delete: "bogus" });
  expect(answer.body.errors).toEqual({ delete: "unknown option 'bogus'" });
  expect(await set({ delete: "cores" })).toBeNull();
});

test("a balloon cannot be larger than the memory", async () => {
  await machine({ memory: 1024 });
  expect((await bench.client.call("PUT", `${AT}/config`, { balloon: 2048 })).reason).toBe(
    "balloon value too large (must be smaller than assigned memory)",
  );
});

test("a running machine gets more cores only at its next start, but its config already shows them", async () => {
  await machine({ cores: 2 }, true);
  await set({ cores: 4 });
  expect((await config()).cores).toBe(4);
  expect((await config({ current: 1 })).cores).toBe(2);
  expect((await pending()).cores).toEqual({ value: 2, pending: 4 });
});

test("pending lists every key, the digest among them", async () => {
  await machine({ cores: 2 });
  const keys = await pending();
  expect(keys.digest?.value).toMatch(/^[0-9a-f]{40}$/);
  expect(keys.cores).toEqual({ value: 2 });
});

// PVE::CGroup::clamp_cpu_shares
test("a CPU weight is limited to the range of the host's control groups", async () => {
  await machine();
  const stored = async (cpuunits: number) => {
    await set({ cpuunits });
    return (await config()).cpuunits;
  };
  expect([await stored(262_144), await stored(1)]).toEqual([10_000, 1]);
  const host = proxmoxState(bench.lab).hosts[0];
  if (host) host.cgroup = 1;
  expect([await stored(262_144), await stored(1)]).toEqual([262_144, 2]);
});

// docs/facts/proxmox.md#pending-changes
test.each<[string, string | number]>([
  ["name", "other"],
  ["description", "text"],
  ["tags", "x"],
  ["onboot", 1],
  ["protection", 1],
  ["ipconfig0", "ip=10.0.0.9/24"],
  ["nameserver", "1.1.1.1"],
  ["cpuunits", 200],
  ["scsi1", "local-lvm:1"],
  ["net1", "virtio,bridge=vmbr0"],
])("%s changes at once while the machine runs", async (key, value) => {
  await machine({}, true);
  await set({ [key]: value });
  expect((await pending())[key]?.pending).toBeUndefined();
  expect((await config({ current: 1 }))[key]).toBeDefined();
});

test.each<[string, string | number]>([
  ["cores", 3],
  ["sockets", 2],
  ["cpu", "host"],
  ["memory", 4096],
  ["balloon", 0],
  ["bios", "ovmf"],
  ["machine", "q35"],
  ["scsihw", "virtio-scsi-single"],
  ["ostype", "l26"],
  ["vga", "serial0"],
  ["serial0", "socket"],
  ["efidisk0", "local-lvm:1"],
  ["numa", 1],
  ["smbios1", "uuid=11111111-2222-3333-4444-555555555555"],
  ["agent", "1"],
  ["ide0", "local-lvm:1"],
  ["sata0", "local-lvm:1"],
])("%s waits for a power cycle", async (key, value) => {
  await machine({}, true);
  await set({ [key]: value });
  expect((await pending())[key]?.pending).toBeDefined();
  // Stopping is enough: QemuServer.pm, vm_stop_cleanup.
  await bench.client.task("POST", `${AT}/status/stop`);
  expect((await pending())[key]?.pending).toBeUndefined();
  expect((await pending())[key]?.value).toBeDefined();
});

test("memory can be hot-plugged when the machine allows it", async () => {
  await machine({ hotplug: "memory,network,disk", numa: 1 }, true);
  await set({ memory: 2048 });
  expect((await config({ current: 1 })).memory).toBe("2048");
});

test("a change of a disk's cache is pending, one of its throttle applies at once", async () => {
  await machine({ scsi0: "local-lvm:1" }, true);
  await set({ scsi0: "local-lvm:vm-100-disk-0,mbps=10" });
  expect((await config({ current: 1 })).scsi0).toBe("local-lvm:vm-100-disk-0,mbps=10,size=1G");
  await set({ scsi0: "local-lvm:vm-100-disk-0,cache=unsafe" });
  expect((await pending()).scsi0?.pending).toBe("local-lvm:vm-100-disk-0,cache=unsafe,size=1G");
});

test("a reverted change is no longer pending", async () => {
  await machine({ cores: 2 }, true);
  await set({ cores: 4 });
  await set({ revert: "cores" });
  expect((await pending()).cores).toEqual({ value: 2 });
});

test("setting the current value again leaves nothing pending", async () => {
  await machine({ cores: 2 }, true);
  await set({ cores: 4 });
  await set({ cores: 2 });
  expect((await pending()).cores).toEqual({ value: 2 });
});

test("a pending deletion is shown as 1, a forced one as 2", async () => {
  await machine({ cores: 2, sata0: "local-lvm:1" }, true);
  await set({ delete: "cores" });
  expect((await pending()).cores).toEqual({ value: 2, delete: 1 });
  await set({ delete: "sata0", force: 1 });
  expect((await pending()).sata0?.delete).toBe(2);
  expect((await config()).cores).toBeUndefined();
});

test("a deleted disk is kept as unused, and destroyed when that is deleted", async () => {
  await machine({ scsi0: "local-lvm:1" });
  await set({ delete: "scsi0" });
  expect(await config()).toMatchObject({ unused0: "local-lvm:vm-100-disk-0" });
  expect(await bench.client.get("GET", "/nodes/pve1/storage/local-lvm/content")).toHaveLength(1);
  await set({ delete: "unused0" });
  expect((await config()).unused0).toBeUndefined();
  expect(await bench.client.get("GET", "/nodes/pve1/storage/local-lvm/content")).toEqual([]);
});

test("with force a disk is destroyed at once", async () => {
  await machine({ scsi0: "local-lvm:1" });
  await set({ delete: "scsi0", force: 1 });
  expect((await config()).unused0).toBeUndefined();
  expect(await bench.client.get("GET", "/nodes/pve1/storage/local-lvm/content")).toEqual([]);
});

test("requesting a new disk in place of one keeps the old one as unused", async () => {
  await machine({ scsi0: "local-lvm:1" });
  await set({ scsi0: "local-lvm:2" });
  expect(await config()).toMatchObject({
    scsi0: "local-lvm:vm-100-disk-1,size=2G",
    unused0: "local-lvm:vm-100-disk-0",
  });
});

test("an unused disk that is attached again is no longer unused", async () => {
  await machine({ scsi0: "local-lvm:1" });
  await set({ delete: "scsi0" });
  await set({ scsi3: "local-lvm:vm-100-disk-0" });
  const after = await config();
  expect(after.scsi3).toBe("local-lvm:vm-100-disk-0,size=1G");
  expect(after.unused0).toBeUndefined();
});

test("a deleted device is removed from the boot order, a new CD is added", async () => {
  await machine({ scsi0: "local-lvm:1", net0: "virtio,bridge=vmbr0" });
  expect((await config()).boot).toBe("order=scsi0;net0");
  await set({ delete: "scsi0" });
  expect((await config()).boot).toBe("order=net0");
  await set({ ide2: "none,media=cdrom" });
  expect((await config()).boot).toBe("order=net0;ide2");
});

test("removing the last device leaves a blank boot order", async () => {
  await machine({ scsi0: "local-lvm:1" });
  await set({ delete: "scsi0" });
  expect((await config()).boot).toBe(" ");
});

test("a running machine keeps the disks of its boot order until its next stop", async () => {
  await machine({ scsi0: "local-lvm:1", scsi1: "local-lvm:2", net0: "virtio,bridge=vmbr0" }, true);
  const answer = await bench.client.call("PUT", `${AT}/config`, { delete: "scsi0,scsi1,net0" });
  expect([answer.status, answer.body.errors]).toEqual([400, { scsi0: "hotplug problem - can't unplug bootdisk 'scsi0'\n" }]);
  expect(await pending()).toMatchObject({ scsi0: { delete: 1 }, boot: { value: "order=scsi0;net0", pending: " " } });
  expect(await config({ current: 1 })).not.toHaveProperty("scsi1");
  await bench.client.task("POST", `${AT}/status/stop`);
  expect(await config()).toMatchObject({ boot: " ", unused0: expect.any(String), unused1: expect.any(String) });
});

test("a running machine refuses to replace a boot disk, or a disk that cannot be unplugged", async () => {
  await machine({ scsi0: "local-lvm:1", sata1: "local-lvm:1" }, true);
  const put = async (form: Record<string, string>) => (await bench.client.call("PUT", `${AT}/config`, form)).body.errors;
  expect(await put({ scsi0: "local-lvm:2" })).toEqual({ scsi0: "hotplug problem - can't unplug bootdisk 'scsi0'\n" });
  expect(await put({ sata1: "local-lvm:2" })).toEqual({ sata1: "hotplug problem - can't unplug device 'sata1'\n" });
  const waiting = await pending();
  const volumes = (await bench.client.get("GET", "/nodes/pve1/storage/local-lvm/content")) as { volid: string }[];
  for (const key of ["scsi0", "sata1"])
    expect(volumes.map(({ volid }) => volid)).toContain(String(waiting[key]?.pending).split(",")[0]);
});

test("only existing devices can be in the boot order", async () => {
  await machine({ scsi0: "local-lvm:1" });
  const answer = await bench.client.call("PUT", `${AT}/config`, { boot: "order=scsi0;scsi7" });
  expect([answer.status, answer.reason]).toEqual([500, "invalid bootorder: device 'scsi7' does not exist'"]);
});

test("a boot order is printed with semicolons", async () => {
  await machine({ scsi0: "local-lvm:1", net0: "virtio" });
  await set({ boot: "order=net0;scsi0" });
  expect((await config()).boot).toBe("order=net0;scsi0");
});

test("a network without an address gets a new one at each change", async () => {
  await machine({ net0: "virtio,bridge=vmbr0" });
  const first = (await config()).net0;
  await set({ net0: "virtio,bridge=vmbr0" });
  expect((await config()).net0).not.toBe(first);
});

test("protection mode prevents deleting disks and the machine", async () => {
  await machine({ scsi0: "local-lvm:1", protection: 1 });
  expect((await bench.client.call("PUT", `${AT}/config`, { delete: "scsi0" })).reason).toBe(
    "can't remove drive 'scsi0' - protection mode enabled",
  );
  expect((await bench.client.call("DELETE", AT)).reason).toBe("can't remove VM 100 - protection mode enabled");
});

test("a password is never shown", async () => {
  await machine({ cipassword: "hunter22" });
  expect((await config()).cipassword).toBe("**********");
});

test("an empty description is removed", async () => {
  await machine({ description: "x" });
  await set({ description: "" });
  expect((await config()).description).toBeUndefined();
});

test("POST makes the change in a task", async () => {
  await machine();
  const upid = await bench.client.get("POST", `${AT}/config`, { cores: 4 });
  expect(upid).toContain(":qmconfig:100:");
  expect((await bench.client.end(upid)).exitstatus).toBe("OK");
  expect((await config()).cores).toBe(4);
});

test("POST with a delay returns null when the task ends in time", async () => {
  await machine();
  expect(await bench.client.get("POST", `${AT}/config`, { cores: 4, background_delay: 5 })).toBeNull();
  expect((await config()).cores).toBe(4);
});

test("JSON bodies work like forms", async () => {
  await machine();
  expect((await bench.client.json("PUT", `${AT}/config`, { onboot: true, cores: 4 })).status).toBe(200);
  expect(await config()).toMatchObject({ onboot: 1, cores: 4 });
});

test("only root may use skiplock", async () => {
  await machine();
  const answer = await bench.client.call("PUT", `${AT}/config`, { cores: 2, skiplock: 1 });
  expect(answer.body.errors).toEqual({ skiplock: "Only root may use this option." });
});

test("root can lock a machine, and unlock it again", async () => {
  await machine();
  await bench.root.get("PUT", `${AT}/config`, { lock: "backup" });
  expect((await bench.client.call("PUT", `${AT}/config`, { cores: 2 })).reason).toBe("VM is locked (backup)");
  await bench.root.get("PUT", `${AT}/config`, { delete: "lock", skiplock: 1 });
  await set({ cores: 2 });
});

test("a CD drive cannot become a disk while the machine runs", async () => {
  await machine({ ide0: "none,media=cdrom" }, true);
  const answer = await bench.client.call("PUT", `${AT}/config`, { ide0: "local-lvm:1" });
  expect(answer.body.errors).toEqual({ ide0: "hotplug problem - unable to change media type\n" });
});

test("deleting or moving a network card needs the right to its network", async () => {
  await machine({ net0: "virtio,bridge=vmbr0" });
  const user = await bench.userWith("user", { "/vms/100": "VM.Config.Network" });
  const reason = "Permission check failed (/sdn/zones/localnetwork/vmbr0, SDN.Use)";
  expect((await user.call("PUT", `${AT}/config`, { delete: "net0" })).reason).toBe(reason);
  expect((await user.call("PUT", `${AT}/config`, { net0: "virtio" })).reason).toBe(reason);
});

test("freeing a disk needs Datastore.AllocateSpace", async () => {
  await machine({ scsi0: "local-lvm:1" });
  const user = await bench.userWith("user", { "/vms/100": "VM.Config.Disk" });
  expect((await user.call("PUT", `${AT}/config`, { delete: "scsi0", force: 1 })).reason).toBe(
    "Permission check failed (/storage/local-lvm, Datastore.AllocateSpace)",
  );
  expect((await user.call("PUT", `${AT}/config`, { delete: "scsi0" })).status).toBe(200);
});

import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { VmOptions } from "./client/qemu.ts";
import { allDifferences, allOptions, changesOf, sendingFor } from "./compare.ts";
import { keptAsIs } from "./kept-as-is.ts";
import type { Machine, MachineSpec } from "./machine.ts";
import { testNode } from "./testing/test-node.ts";

const node = testNode({ name: "worker-1", role: "worker", ip: "10.10.0.21", tags: ["blue"], vlan: 7 });
const spec: MachineSpec = {
  node,
  role: "worker",
  environment: "lab-12345678",
  cluster: "lab",
  macs: ["02:AA:BB:CC:DD:EE"],
  addresses: { ip: "10.10.0.21/24", gw: "10.10.0.1" },
  nameservers: ["10.10.0.1", "1.1.1.1"],
  tags: ["blue", "lab-12345678", "talosmith"],
  notes: "",
  guestAgent: false,
  secureboot: false,
  kept: new Map(),
  asRoot: false,
  where: () => undefined,
};

/** A machine as Proxmox returns it (docs/facts/proxmox.md#read-back): other order, other spellings, additional options. */
const readBack: VmOptions = {
  name: "worker-1",
  cores: "4",
  sockets: "1",
  memory: "8192",
  balloon: "0",
  cpu: "host",
  machine: "q35",
  bios: "seabios",
  scsihw: "virtio-scsi-pci",
  ostype: "l26",
  serial0: "socket",
  agent: "0",
  net0: "virtio=02:AA:BB:CC:DD:EE,bridge=vmbr0,tag=7",
  scsi0: "local-lvm:vm-20417-disk-0,discard=on,size=40G,ssd=1",
  ide2: "local-lvm:vm-20417-cloudinit,media=cdrom",
  boot: "order=scsi0",
  ipconfig0: "ip=10.10.0.21/24,gw=10.10.0.1",
  nameserver: "10.10.0.1 1.1.1.1",
  tags: "blue;lab-12345678;talosmith",
  onboot: "1",
  smbios1: "uuid=7c1f",
  vmgenid: "1",
  meta: "creation-qemu=10.1,ctime=1",
  digest: "abc",
};

function machine(live: VmOptions = {}, next: VmOptions = live, more: Partial<Machine> = {}): Machine {
  return {
    vmid: 20417,
    host: "pve1",
    kind: "vm",
    running: true,
    template: false,
    tags: [],
    config: { live: { ...readBack, ...live }, next: { ...readBack, ...next } },
    mark: { environment: "lab-12345678", cluster: "lab", node: "worker-1", vm: 20417, role: "worker", address: "10.10.0.21" },
    ...more,
  };
}

const changes = (one: Machine) => changesOf("s", "machine worker-1", spec, one);
const fields = (one: Machine) =>
  changes(one).flatMap((change) => change.fields.map((field) => `${change.verb} ${field.path}: ${field.from} → ${field.to}`));

test("a machine as Proxmox reads it back has nothing to change", () => {
  expect(changes(machine())).toEqual([]);
});

test("other spellings of the same thing are no difference", () => {
  expect(
    changes(
      machine({
        scsi0: "ssd=1,file=local-lvm:vm-20417-disk-0,discard=on,size=40960M",
        net0: "bridge=vmbr0,model=virtio,macaddr=02:aa:bb:cc:dd:ee,tag=7",
        nameserver: "10.10.0.1,1.1.1.1",
        tags: "talosmith,blue lab-12345678",
        agent: "enabled=0,type=virtio",
        memory: "current=8192",
        cpu: "cputype=host",
        machine: "type=q35",
      }),
    ),
  ).toEqual([]);
});

test("a change that waits for a power cycle is a restart, not nothing", () => {
  expect(fields(machine({ memory: "4096" }, { memory: "8192" }))).toEqual(["restart memory: 4 GiB → 8 GiB"]);
});

test("a machine whose options do not mention onboot does not start with its host: absent is off", () => {
  const without = machine();
  for (const options of [without.config.live, without.config.next]) delete (options as Record<string, string>).onboot;
  expect(fields(without)).toEqual(["update start at boot: false → true"]);
});

test("a foreign pending change is reverted without a restart", () => {
  expect(fields(machine({}, { cores: "8" }))).toEqual(["update cores: 8 → 4"]);
});

test("a machine that is off is brought to its settings without a restart, and switched on", () => {
  expect(fields(machine({ cores: "8" }, undefined, { running: false }))).toEqual([
    "update cores: 8 → 4",
    "update power: off → on",
  ]);
});

test("a disk that is too small grows; one that is too large is kept and reported", () => {
  expect(fields(machine({ scsi0: "local-lvm:vm-20417-disk-0,discard=on,size=1246M,ssd=1" }))).toEqual([
    "update disk: 1246 MiB → 40 GiB",
  ]);
  const large = machine({ scsi0: "local-lvm:vm-20417-disk-0,discard=on,size=60G,ssd=1" });
  expect(changes(large)).toEqual([]);
  expect(keptAsIs(spec, large).map((note) => note.message)).toEqual([
    "worker-1: disk is 60 GiB, config says 40 GiB; kept (disks cannot shrink)",
  ]);
});

test("sizes are numbers, however they are spelled: 100 GiB and 1 TiB are more than 40 GiB, 9 GiB is less", () => {
  const sized = (size: string) => fields(machine({ scsi0: `local-lvm:vm-20417-disk-0,discard=on,size=${size},ssd=1` }));
  expect([sized("100G"), sized("1T"), sized("9G")]).toEqual([[], [], ["update disk: 9 GiB → 40 GiB"]]);
});

test("another address or role in the config is another machine, and needs to be allowed by name", () => {
  const other = machine({}, {}, { mark: { ...machine().mark, address: "10.10.0.99", role: "controlplane" } });
  expect(fields(other)).toEqual(["replace address: 10.10.0.99 → 10.10.0.21", "replace role: controlplane → worker"]);
  expect(changes(other)[0]?.needsConsent).toBe("worker-1");
});

const sent = (one: Machine) => sendingFor(allDifferences(spec, one));

test("a corrected network card keeps its unmanaged options", () => {
  expect(sent(machine({ net0: "virtio=02:AA:BB:CC:DD:EE,bridge=vmbr9,firewall=1,queues=4" })).set).toEqual({
    net0: "virtio=02:AA:BB:CC:DD:EE,bridge=vmbr0,firewall=1,queues=4,tag=7",
  });
});

test("two wrong disk flags are corrected by one value, which keeps a limit set in Proxmox", () => {
  expect(sent(machine({ scsi0: "local-lvm:vm-20417-disk-0,mbps_rd=100,size=40G" })).set).toEqual({
    scsi0: "local-lvm:vm-20417-disk-0,mbps_rd=100,size=40G,discard=on,ssd=1",
  });
});

test("an option that is not in the config is deleted by name, never set to an empty value", () => {
  expect(sent(machine({ vga: "virtio", cpuunits: "300" }))).toEqual({ set: {}, unset: ["cpuunits", "vga"], revert: [] });
});

test("an option that only root may change and that is not in the config is kept, and the note names the command that changes it", () => {
  const one = machine({ affinity: "0-3", hugepages: "2", startup: "order=1", serial0: "/dev/ttyS0", hostpci0: "0000:01:00" });
  expect(changes(one)).toEqual([]);
  expect(keptAsIs(spec, one).map(({ code, hint }) => [code, hint?.split("--delete ")[1]])).toEqual([
    ["ROOT_ONLY", "affinity"],
    ["ROOT_ONLY", "hugepages"],
    ["ROOT_ONLY", "serial0"],
    ["ROOT_ONLY", "hostpci0"],
    ["ROOT_ONLY", "startup"],
  ]);
  expect(changesOf("s", "machine worker-1", { ...spec, asRoot: true }, one)[0]?.fields.length).toBe(5);
});

test("disks and cards that are not in the config are kept and reported", () => {
  const one = machine({ scsi5: "local-lvm:vm-20417-disk-3,size=8G", net3: "e1000=BC:24:11:00:00:09,bridge=vmbr0" });
  expect(changes(one)).toEqual([]);
  expect(keptAsIs(spec, one).map(({ message }) => message)).toEqual([
    "worker-1: has a disk that is not in the config (scsi5, local-lvm:vm-20417-disk-3); kept",
    "worker-1: has a network card that is not in the config (net3, BC:24:11:00:00:09); kept",
  ]);
});

test("a detached system disk is reattached; when several disks qualify, the user chooses", () => {
  const { scsi0: _, ...without } = readBack;
  const off = (unused: VmOptions) => {
    const options = { ...without, boot: "order=net0", ...unused };
    return { ...machine(), config: { live: options, next: options } };
  };
  expect(sent(off({ unused0: "local-lvm:vm-20417-disk-0" })).set).toEqual({
    scsi0: "local-lvm:vm-20417-disk-0,discard=on,ssd=1",
  });
  const several = off({ unused0: "local-lvm:vm-20417-disk-0", unused1: "local-lvm:vm-20417-disk-1" });
  expect(sent(several).set).toEqual({});
  expect(keptAsIs(spec, several)[0]?.hint).toContain("qm set 20417 --scsi0 local-lvm:vm-20417-disk-1");
});

test("the pending detach of a system disk is reverted, and of a data disk, which is not made a second time", () => {
  const flags = { discard: true, ssd: true, iothread: false, backup: true };
  const models = { name: "models", serial: "models", size: 10, storage: "local-lvm", flags, keep: false };
  const scsi1 = "local-lvm:vm-20417-disk-1,discard=on,serial=models,size=10G,ssd=1";
  const { scsi0: _, ...next } = readBack;
  const one = { ...machine(), config: { live: { ...readBack, scsi1 }, next: { ...next, boot: " " } } };
  const wanted = { ...spec, node: { ...node, disks: [models] } };
  const found = allDifferences(wanted, one);
  expect(sendingFor(found)).toEqual({ set: {}, unset: [], revert: ["scsi0", "scsi1"] });
  expect(found.filter(({ restart }) => restart)).toEqual([]);
});

// PVE::CGroup: v2 stores at most 10000, v1 at least 2.
test.each([
  [50_000, "10000"],
  [50_000, "50000"],
  [1, "1"],
  [1, "2"],
])("a weight of %i that the host stores as %s is right", (cpuUnits, cpuunits) => {
  expect(changesOf("s", "machine worker-1", { ...spec, node: { ...node, cpuUnits } }, machine({ cpuunits }))).toEqual([]);
});

test("a weight that is another is shown as it is stored", () => {
  const wanted = { ...spec, node: { ...node, cpuUnits: 200 } };
  expect(changesOf("s", "machine worker-1", wanted, machine({ cpuunits: "10000" }))[0]?.fields).toEqual([
    { path: "cpu units", from: 10_000, to: 200 },
  ]);
});

test("a change that a running machine takes at once waits for a restart when its hotplug is off", () => {
  const net0 = "virtio=02:AA:BB:CC:DD:EE,bridge=vmbr9,tag=7";
  expect(fields(machine({ net0, hotplug: "disk,usb" }))).toEqual(["restart bridge: vmbr9 → vmbr0"]);
});

test("a firmware, bus or Secure Boot change in the config replaces the machine; a change in the VM is corrected", () => {
  const wanted = { ...spec, secureboot: true, node: { ...node, firmware: "ovmf", controller: "virtio" } } as MachineSpec;
  const [change] = changesOf("s", "machine worker-1", wanted, machine());
  expect(change?.verb).toBe("replace");
  expect(change?.fields.map(({ path }) => path)).toEqual(["firmware", "disk bus", "secure boot"]);
  expect(fields(machine({ bios: "ovmf" }))).toEqual(["restart bios: ovmf → seabios"]);
});

test("the medium of an installation is left in the boot order behind the disk, and put there when it is before it", () => {
  const ide0 = "local:iso/talos-v1.13.9-amd64-37656798.iso,media=cdrom,size=102M";
  expect(changes(machine({ ide0, boot: "order=scsi0;ide0" }))).toEqual([]);
  expect(sent(machine({ ide0, boot: "order=ide0;scsi0" })).set).toEqual({ boot: "order=scsi0;ide0" });
  expect(fields(machine({ ide0: "local:iso/other.iso,media=cdrom", boot: "order=scsi0;ide0" }))).toEqual([
    "restart boot: scsi0, ide0 → scsi0",
  ]);
});

test("everything we manage is sent when a machine is made", () => {
  expect(Object.keys(allOptions(spec)).sort()).toEqual(
    ["agent", "balloon", "bios", "boot", "cores", "cpu", "description", "ide2", "ipconfig0", "machine", "memory", "name"].concat([
      "nameserver",
      "net0",
      "numa",
      "onboot",
      "ostype",
      "protection",
      "scsihw",
      "serial0",
      "sockets",
      "tags",
    ]),
  );
});

/** To Proxmox, the order of the parts of a value and the word for yes or no make no difference (docs/facts/proxmox.md#request-bodies). */
const YES = ["1", "on", "yes", "true"];
const shuffled = (parts: readonly string[]) =>
  fc.shuffledSubarray([...parts], { minLength: parts.length }).map((all) => all.join(","));
const spellings: Record<string, fc.Arbitrary<string>> = {
  scsi0: fc
    .record({
      ssd: fc.constantFrom(...YES),
      discard: fc.constant("on"),
      size: fc.constantFrom("40G", "40960M", "41943040K"),
      head: fc.constantFrom("", "file="),
    })
    .chain(({ ssd, discard, size, head }) =>
      shuffled([`${head}local-lvm:vm-20417-disk-0`, `ssd=${ssd}`, `discard=${discard}`, `size=${size}`, "backup=1"]),
    ),
  net0: fc
    .tuple(fc.constantFrom("02:AA:BB:CC:DD:EE", "02:aa:bb:cc:dd:ee"), fc.constantFrom("7", "07", "007"), fc.boolean())
    .chain(([mac, tag, long]) =>
      shuffled([...(long ? ["model=virtio", `macaddr=${mac}`] : [`virtio=${mac}`]), "bridge=vmbr0", `tag=${tag}`]),
    ),
  tags: fc
    .tuple(fc.shuffledSubarray(["blue", "lab-12345678", "talosmith"], { minLength: 3 }), fc.constantFrom(";", ",", " "))
    .map(([tags, between]) => tags.join(between)),
  nameserver: fc.constantFrom("10.10.0.1 1.1.1.1", "10.10.0.1,1.1.1.1", "10.10.0.1;1.1.1.1"),
  ipconfig0: shuffled(["ip=10.10.0.21/24", "gw=10.10.0.1"]),
  agent: fc.constantFrom("0", "enabled=0", "enabled=0,type=virtio", "type=virtio,enabled=off"),
  cpu: fc.constantFrom("host", "cputype=host", "host,hidden=1"),
  machine: fc.constantFrom("q35", "type=q35", "q35,viommu=intel"),
  memory: fc.constantFrom("8192", "current=8192"),
  boot: fc.constantFrom("order=scsi0"),
  vga: fc.constantFrom("std", "type=std", "std,memory=32"),
  cpuunits: fc.constant("100"),
  numa: fc.constant("0"),
  protection: fc.constant("0"),
};

test("no spelling of what a machine should be is a difference", () => {
  fc.assert(
    fc.property(fc.record(spellings), (options) => {
      expect(changes(machine(options))).toEqual([]);
    }),
  );
});

test("the value sent for any difference reads back as the wanted one", () => {
  const other: Record<string, fc.Arbitrary<string>> = {
    ...spellings,
    cores: fc.integer({ min: 1, max: 16 }).map(String),
    memory: fc.integer({ min: 512, max: 9000 }).map(String),
    cpu: fc.constantFrom("kvm64", "host,flags=+aes", "x86-64-v3,hidden=1"),
    machine: fc.constantFrom("pc", "pc-q35-9.0,viommu=intel"),
    net0: fc.constantFrom("e1000=BC:24:11:00:00:01", "virtio=02:AA:BB:CC:DD:EE,bridge=vmbr3,rate=10,tag=9"),
    scsi0: fc.constantFrom(
      "local-lvm:vm-20417-disk-0,iothread=1,size=40G",
      "local-lvm:vm-20417-disk-0,cache=unsafe,iops=9,size=1T",
    ),
    vga: fc.constantFrom("virtio", "qxl,memory=64"),
    tags: fc.constantFrom("x", "talosmith"),
  };
  fc.assert(
    fc.property(fc.record(other, { requiredKeys: [] }), (changed) => {
      const options = Object.fromEntries(
        Object.entries(changed).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
      );
      const { set, unset } = sent(machine(options));
      const after: Record<string, string> = { ...readBack, ...options, ...set };
      for (const option of unset) delete after[option];
      const mended = { ...machine(), config: { live: after, next: after } };
      expect(allDifferences(spec, mended)).toEqual([]);
    }),
  );
});

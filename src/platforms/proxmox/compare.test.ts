import { expect, test } from "vitest";
import type { VmOptions } from "./client/qemu.ts";
import { allOptions, changesOf, keptAsIs } from "./compare.ts";
import type { Machine, MachineSpec } from "./machine.ts";
import { MACHINE_FIELDS } from "./machine-fields.ts";
import { testNode } from "./testing/test-node.ts";

const node = testNode({ name: "worker-1", role: "worker", ip: "10.10.0.21", tags: ["blue"], vlan: 7 });
const spec: MachineSpec = {
  node,
  role: "worker",
  environment: "lab-12345678",
  cluster: "lab",
  mac: "02:AA:BB:CC:DD:EE",
  addresses: { ip: "10.10.0.21/24", gw: "10.10.0.1" },
  nameservers: ["10.10.0.1", "1.1.1.1"],
  tags: ["blue", "lab-12345678", "talosmith"],
  guestAgent: false,
};

/** As Proxmox reads a machine back (proxmox.md section 6): other order, other spellings, options of its own. */
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

const OTHER: Record<string, [string, string, string]> = {
  name: ["name", "other", "update name: other → worker-1"],
  cores: ["cores", "8", "restart cores: 8 → 4"],
  sockets: ["sockets", "2", "restart sockets: 2 → 1"],
  memory: ["memory", "4096", "restart memory: 4 GiB → 8 GiB"],
  ballooning: ["balloon", "1024", "restart ballooning: true → false"],
  cpu: ["cpu", "x86-64-v2-AES", "restart cpu: x86-64-v2-AES → host"],
  machine: ["machine", "pc", "restart machine: pc → q35"],
  bios: ["bios", "ovmf", "restart bios: ovmf → seabios"],
  scsihw: ["scsihw", "lsi", "restart scsihw: lsi → virtio-scsi-pci"],
  ostype: ["ostype", "other", "restart ostype: other → l26"],
  serial0: ["serial0", "/dev/ttyS0", "restart serial0: /dev/ttyS0 → socket"],
  "guest agent": ["agent", "1", "restart guest agent: true → false"],
  mac: ["net0", "virtio=BC:24:11:00:00:01,bridge=vmbr0,tag=7", "update mac: BC:24:11:00:00:01 → 02:AA:BB:CC:DD:EE"],
  bridge: ["net0", "virtio=02:AA:BB:CC:DD:EE,bridge=vmbr9,tag=7", "update bridge: vmbr9 → vmbr0"],
  vlan: ["net0", "virtio=02:AA:BB:CC:DD:EE,bridge=vmbr0", "update vlan: none → 7"],
  "disk discard": ["scsi0", "local-lvm:vm-20417-disk-0,size=40G,ssd=1", "restart disk discard: false → true"],
  "disk ssd": ["scsi0", "local-lvm:vm-20417-disk-0,discard=on,size=40G", "restart disk ssd: false → true"],
  "cloud-init drive": ["ide2", "none,media=cdrom", "restart cloud-init drive: false → true"],
  boot: ["boot", "order=ide2;scsi0", "restart boot: ide2, scsi0 → scsi0"],
  address: ["ipconfig0", "ip=dhcp", "update address: dhcp → 10.10.0.21/24 via 10.10.0.1"],
  nameservers: ["nameserver", "1.1.1.1", "update nameservers: 1.1.1.1 → 10.10.0.1 1.1.1.1"],
  tags: ["tags", "talosmith;lab-12345678", "update tags: lab-12345678 talosmith → blue lab-12345678 talosmith"],
  "start at boot": ["onboot", "0", "update start at boot: false → true"],
};

test.each(MACHINE_FIELDS.map((field) => [field.path]))(
  "%s changed behind our back shows as exactly that, in its class",
  (path) => {
    const [option, value, expected] = OTHER[path] ?? ["", "", "no case for this field"];
    expect(fields(machine({ [option]: value }))).toEqual([expected]);
  },
);

test("a change that waits for a power cycle is a restart, not nothing", () => {
  expect(fields(machine({ memory: "4096" }, { memory: "8192" }))).toEqual(["restart memory: 4 GiB → 8 GiB"]);
});

test("a foreign change that has not taken effect is taken back without a restart", () => {
  expect(fields(machine({}, { cores: "8" }))).toEqual(["update cores: 8 → 4"]);
});

test("a machine that is off is brought to its settings without a restart, and switched on", () => {
  expect(fields(machine({ cores: "8" }, undefined, { running: false }))).toEqual([
    "update cores: 8 → 4",
    "update power: off → on",
  ]);
});

test("a disk that is too small grows; one that is too large is kept, and that is said", () => {
  expect(fields(machine({ scsi0: "local-lvm:vm-20417-disk-0,discard=on,size=1246M,ssd=1" }))).toEqual([
    "update disk: 1246 MiB → 40 GiB",
  ]);
  const large = machine({ scsi0: "local-lvm:vm-20417-disk-0,discard=on,size=60G,ssd=1" });
  expect(changes(large)).toEqual([]);
  expect(keptAsIs(spec, large).map((note) => note.message)).toEqual([
    "worker-1: disk is 60 GiB, config says 40 GiB; kept (disks cannot shrink)",
  ]);
});

test("another address or role in the config is another machine, and needs to be allowed by name", () => {
  const other = machine({}, {}, { mark: { ...machine().mark, address: "10.10.0.99", role: "controlplane" } });
  expect(fields(other)).toEqual(["replace address: 10.10.0.99 → 10.10.0.21", "replace role: controlplane → worker"]);
  expect(changes(other)[0]?.needsConsent).toBe("worker-1");
});

test("mending a network card keeps what others have set on it", () => {
  const bridge = MACHINE_FIELDS.find((field) => field.path === "bridge");
  expect(bridge?.options(spec, { net0: "virtio=02:AA:BB:CC:DD:EE,bridge=vmbr9,firewall=1,queues=4" })).toEqual({
    net0: "virtio=02:AA:BB:CC:DD:EE,bridge=vmbr0,firewall=1,queues=4,tag=7",
  });
});

test("two disk flags that are wrong at once are both mended by one value", () => {
  const bare = { scsi0: "local-lvm:vm-20417-disk-0,size=40G" };
  const sent = MACHINE_FIELDS.filter((field) => field.path.startsWith("disk ")).map((field) => field.options(spec, bare).scsi0);
  expect(new Set(sent)).toEqual(new Set(["local-lvm:vm-20417-disk-0,size=40G,discard=on,ssd=1"]));
});

test("everything we manage is sent when a machine is made", () => {
  expect(Object.keys(allOptions(spec)).sort()).toEqual([
    "agent",
    "balloon",
    "bios",
    "boot",
    "cores",
    "cpu",
    "ide2",
    "ipconfig0",
    "machine",
    "memory",
    "name",
    "nameserver",
    "net0",
    "onboot",
    "ostype",
    "scsi0",
    "scsihw",
    "serial0",
    "sockets",
    "tags",
  ]);
});

import { expect, test } from "vitest";
import { load } from "../../../config/testing/config-in-memory.ts";
import type { ProxmoxNodeConfig } from "./config-on-proxmox.ts";
import { EVERYTHING_ON_PROXMOX, EVERYTHING_ON_PROXMOX_BESIDE } from "./testing/everything.ts";

const { config, warnings, where } = load(EVERYTHING_ON_PROXMOX, EVERYTHING_ON_PROXMOX_BESIDE);
const [cp, second, , gpu] = config.nodes as ProxmoxNodeConfig[];

test("a file with every key has no warnings", () => {
  expect(warnings).toEqual([]);
});

test("the login is a user with a password, and ssh has its own host and user", () => {
  const { proxmox } = config;
  const { ssh } = proxmox;
  expect(proxmox).toMatchObject({ user: "root@pam" });
  expect("user" in proxmox && proxmox.password.reveal()).toBe("correct horse battery staple");
  expect(ssh).toMatchObject({ host: "pve1.home.arpa", port: 2222, user: "admin" });
  expect(ssh.key?.reveal()).toBe(EVERYTHING_ON_PROXMOX_BESIDE.files.id);
});

test("the image is cloned, linked, and signed", () => {
  expect(config.image).toMatchObject({ method: "template", clone: "linked", secureboot: true });
});

test("a machine has the settings of the file", () => {
  const { role: _, name: __, ...rest } = cp ?? ({} as ProxmoxNodeConfig);
  expect(rest).toMatchObject({
    host: "pve1",
    vmid: 1011,
    cores: 2,
    sockets: 2,
    numa: false,
    cpu: "custom-talos",
    cpuFlags: ["+aes", "-pcid"],
    cpuUnits: 200,
    memory: 8192,
    balloon: 4096,
    machine: "pc-i440fx-9.2+pve1",
    firmware: "ovmf",
    tpm: true,
    controller: "virtio",
    disk: 1024,
    storage: "local-zfs",
    diskFlags: { discard: true, ssd: false, iothread: true, cache: "writeback", backup: true },
    bridge: "vmbr1",
    vlan: 10,
    serial: false,
    display: "none",
    agent: false,
    onboot: false,
    startup: { order: 1, up: 30, down: 60 },
    pool: "protected",
    tags: ["talos"],
    protection: true,
    description: "under the stairs\nsecond shelf",
  });
  expect(gpu).toMatchObject({ affinity: "0-3,8", hugepages: "1024", numa: true, pool: "clusters/talos", firmware: "ovmf" });
});

test("a disk of the controller virtio has another name in Linux", () => {
  expect(cp?.installDisk).toBe("/dev/vda");
});

test("each card has a bridge, and the addresses of a pool's cards count up as the nodes do", () => {
  expect(cp?.nics.map(({ bridge, vlan, queues, firewall }) => ({ bridge, vlan, queues, firewall }))).toEqual([
    { bridge: "vmbr2", vlan: 20, queues: 4, firewall: true },
    { bridge: "vmbr1", firewall: false },
  ]);
  const addresses = (node: ProxmoxNodeConfig | undefined) =>
    node?.nics.map(({ ip, vlans }) => [...ip, ...vlans.flatMap((vlan) => vlan.ip)]);
  expect(addresses(cp)).toEqual([["10.20.0.11/24", "fd00:20::9/64"], ["10.30.0.11/24"]]);
  expect(addresses(second)).toEqual([["10.20.0.12/24", "fd00:20::a/64"], ["10.30.0.12/24"]]);
  expect(cp?.nics[0]).not.toHaveProperty("mac");
  expect(gpu?.nics[0]?.mac).toBe("BC:24:11:00:00:13");
});

// The addresses are as `lspci -D` and `lsusb` print them: PCI.pm and USB.pm of qemu-server take these.
test("devices are mappings, or what they are on the host", () => {
  expect(gpu?.pci).toEqual([{ mapping: "rtx4090" }, { raw: "0000:01:00" }, { raw: "0000:c1:00.1" }]);
  expect(gpu?.usb).toEqual([{ mapping: "zigbee" }, { raw: "046d:c52b" }, { raw: "1-2.3" }]);
});

test("a device that is a GPU brings its driver", () => {
  expect(gpu?.gpu).toBe("nvidia");
  expect(gpu?.image.extensions).toEqual([
    "siderolabs/nvidia-container-toolkit-production",
    "siderolabs/nvidia-open-gpu-kernel-modules-production",
  ]);
});

test("data disks have names, serial numbers, and flags of their own over those of all", () => {
  const all = { discard: true, ssd: false, iothread: true, cache: "writeback", backup: true };
  expect(gpu?.disks).toEqual([
    { name: "models", serial: "models", size: 500, storage: "ceph", flags: all, keep: true },
    {
      name: "ceph",
      serial: "ceph",
      size: 1024,
      storage: "local-lvm",
      flags: { ...all, backup: false, discard: false, cache: "none" },
      keep: false,
    },
    {
      name: "a-volume-with-a-name-of-its-own",
      serial: expect.stringMatching(/^a-volume-wi-[0-9a-f]{8}$/),
      size: 20,
      storage: "ceph",
      flags: all,
      keep: false,
    },
    { name: "disk-4", serial: "disk-4", size: 5, storage: "ceph", flags: all, keep: false },
  ]);
});

test("a volume that takes a data disk finds it by its own names and grows with it", () => {
  const [, models, raw] = gpu?.volumes ?? [];
  expect(models).toEqual({
    name: "models",
    kind: "user",
    disk: { attached: { serial: "models" } },
    grow: true,
    filesystem: "ext4",
    encryption: { by: "tpm" },
  });
  expect(raw).toMatchObject({
    name: "a-volume-with-a-name-of-its-own",
    kind: "raw",
    disk: { attached: { serial: gpu?.disks[2]?.serial } },
    grow: true,
  });
});

/** The text a place begins with. */
function at(path: readonly (string | number)[]): string | undefined {
  const place = where(path);
  return EVERYTHING_ON_PROXMOX.split("\n")[(place?.line ?? 0) - 1]?.slice((place?.column ?? 0) - 1);
}

test.each([
  [["proxmox", "user"], "root@pam"],
  [["nodes", "cp-2", "balloon"], "4GiB"],
  [["nodes", "cp-1", "pool"], "protected"],
  [["nodes", "gpu", "pool"], "clusters/talos"],
  [["nodes", "gpu", "storage"], "ceph, images: nfs }"],
  [["nodes", "gpu", "bridge"], "vmbr9"],
  [["nodes", "cp-1", "controller"], "virtio"],
  [["nodes", "cp-1", "startup"], "{ order: 1, up: 30, down: 60 }"],
  [["nodes", "gpu", "gpu"], "[{ mapping: rtx4090, gpu: nvidia }, 01:00, { address: 0000:C1:00.1 }]"],
  [["nodes", "gpu", "pci", 1], "01:00, { address: 0000:C1:00.1 }]"],
  [["nodes", "gpu", "affinity"], '"0-3,8"'],
  [["nodes", "gpu", "disks", 0, "keep"], "true, filesystem: ext4, encryption: tpm }"],
  [["nodes", "cp-1", "nics", 0, "bridge"], 'vmbr2, vlan: 20, queues: 4, firewall: true, ip: [10.20.0.11/24, "fd00:20::9/64"] }'],
] as const)("%j is at %s in the file", (path, expected) => {
  expect(at(path)).toBe(expected);
});

test("cilium gets its addresses and routers, and Proxmox's drivers get the API's address", () => {
  const names = config.addons.all.map(({ name, tier }) => `${tier} ${name}`);
  expect(names).toEqual(["network cilium", "presets proxmox-ccm", "presets proxmox-csi"]);
  expect(config.cluster.externalCloudProvider).toBe(true);
  const everything = JSON.stringify(config.addons.all);
  for (const text of ["10.10.0.250", "10.99.0.0/28", "64512", "64500", "ceph"]) expect(everything).toContain(text);
});

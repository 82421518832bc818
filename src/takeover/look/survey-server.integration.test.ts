import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { localShell } from "../testing/local-shell.ts";
import { surveyServer } from "./survey-server.ts";
import { BUSYBOX } from "./testing/busybox.ts";
import { CONTABO } from "./testing/contabo.ts";
import { HETZNER_DEDICATED } from "./testing/hetzner-dedicated.ts";
import { OVH } from "./testing/ovh.ts";
import { type Recording, recordedShell } from "./testing/recorded-shell.ts";

const look = (recording: Recording) => surveyServer(recordedShell(recording), AbortSignal.timeout(10_000));

test("a Debian rescue system with a running RAID: both disks are in use, and the hint has the commands that end it", async () => {
  const survey = await look(HETZNER_DEDICATED);
  expect(survey).toMatchObject({
    from: "198.51.100.7",
    hostname: "rescue",
    rootFilesystem: "overlay",
    arch: "amd64",
    firmware: "uefi",
    secureBoot: false,
    memoryBytes: 65639224 * 1024,
    uuid: "5ca7c5a4-2f1b-11ec-8d3d-0242ac130003",
  });
  expect(survey.rootDisk).toBeUndefined();
  expect(survey.tools.has("zstd")).toBe(true);
  expect(survey.disks.map(({ name }) => name)).toEqual(["nvme0n1", "nvme1n1"]);
  expect(survey.disks[0]).toEqual({
    name: "nvme0n1",
    path: "/dev/nvme0n1",
    bytes: 512110190592,
    model: "SAMSUNG MZVL2512HCJQ-00B00",
    serial: "S675NX0T123456",
    talosSerial: "S675NX0T123456",
    wwid: "eui.002538b131b0c1a0",
    transport: "nvme",
    rotational: false,
    readonly: false,
    removable: false,
    sectorBytes: 512,
    busPath: "/pci0000:00/0000:00:01.1/0000:01:00.0/nvme",
    links: ["/dev/disk/by-id/nvme-SAMSUNG_MZVL2512HCJQ-00B00_S675NX0T123456", "/dev/disk/by-id/nvme-eui.002538b131b0c1a0"],
    table: "gpt",
    parts: [
      { name: "nvme0n1p1", bytes: 67108864 * 512, filesystem: "linux_raid_member", label: "rescue:0" },
      { name: "nvme0n1p2", bytes: 933103616 * 512, filesystem: "linux_raid_member", label: "rescue:127" },
    ],
    inUse: [
      "nvme0n1p1 belongs to the running RAID md0",
      "nvme0n1p2 belongs to the running RAID md127",
      "md127 belongs to the running LVM volume vg0-root--old",
    ],
    mountpoints: [],
    release: ["vgchange -an vg0", "mdadm --stop /dev/md127", "mdadm --stop /dev/md0"],
    members: ["RAID md0 (nvme0n1p1)", "RAID md127 (nvme0n1p2)"],
    holdsData: true,
  });
  expect(survey.network).toEqual({
    cards: [{ name: "enp9s0", mac: "A8:A1:59:0F:12:34", addresses: ["203.0.113.11/26", "2001:db8:71:1::2/64"], dhcp: true }],
    main: "enp9s0",
    gateway: "203.0.113.1",
    nameservers: ["185.12.64.1", "2a01:4ff:ff00::add:1"],
  });
});

test("a disk that the rescue system mounted is listed with its mount points, deepest first; an old lsblk prints pairs", async () => {
  const survey = await look(CONTABO);
  expect(survey).toMatchObject({ rootFilesystem: "tmpfs", firmware: "bios", secureBoot: false });
  expect(survey.disks).toHaveLength(1);
  expect(survey.disks[0]).toMatchObject({
    serial: "QM00001",
    talosSerial: "QM00001",
    wwid: "t10.ATA     QEMU HARDDISK                           QM00001",
    table: "gpt",
    parts: [{ filesystem: "swap" }, { filesystem: "ext4", label: 'boot "a"' }, { filesystem: "ext4", label: "root" }],
    inUse: ["sda3 is mounted at /mnt/my disk", "sda2 is mounted at /mnt/my disk/boot", "sda1 is swap in use"],
    mountpoints: ["/mnt/my disk", "/mnt/my disk/boot"],
    release: ["umount '/mnt/my disk/boot'", "umount '/mnt/my disk'", "swapoff /dev/sda1"],
    members: [],
  });
  expect(survey.network).toEqual({
    cards: [{ name: "eth0", mac: "00:50:56:4A:11:22", addresses: ["203.0.113.21/24"], dhcp: false }],
    main: "eth0",
    gateway: "203.0.113.1",
    nameservers: ["213.136.95.10", "213.136.95.11"],
  });
});

test("a rescue system that brings its own disk: its root is found by number though its source is /dev/root, and the other disk is blank", async () => {
  const survey = await look(OVH);
  expect(survey).toMatchObject({ from: "2001:db8:1::7", rootFilesystem: "ext4", rootDisk: "sda" });
  const [own, target] = survey.disks;
  expect(own).toMatchObject({ name: "sda", inUse: ["sda1 is mounted at /"], mountpoints: ["/"], holdsData: true });
  expect(target).toMatchObject({ name: "sdb", serial: "drive-scsi0-0-0-1", inUse: [], members: [], parts: [], holdsData: false });
  // Talos does not find that serial where it reads serials.
  expect(target?.talosSerial).toBeUndefined();
  expect(survey.network).toMatchObject({ gateway: "203.0.112.1", nameservers: ["213.186.33.99"], cards: [{ dhcp: true }] });
});

test("with only busybox, RAID members and routes are still found", async () => {
  const survey = await look(BUSYBOX);
  expect(survey).toMatchObject({ arch: "arm64", rootFilesystem: "rootfs", firmware: "uefi" });
  expect(survey.disks).toEqual([
    expect.objectContaining({
      name: "vda",
      serial: "VOL-0041",
      transport: "virtio",
      table: "dos",
      members: ["RAID (vda1)"],
      inUse: [],
      holdsData: true,
    }),
  ]);
  expect(survey.network).toEqual({
    cards: [{ name: "eth0", mac: "96:00:00:0A:BC:DE", addresses: ["203.0.113.41/32"], dhcp: true }],
    main: "eth0",
    gateway: "172.31.1.1",
    nameservers: ["185.12.64.1"],
  });
});

test("without lsblk, blkid reports the content of partitions", async () => {
  const blkid = '/dev/vda: PTUUID="1" PTTYPE="gpt"\n/dev/vda1: LABEL="my root" UUID="2" TYPE="ext4"';
  const survey = await look({ ...BUSYBOX, disks: { ...BUSYBOX.disks, blkid }, marks: {} });
  expect(survey.disks[0]).toMatchObject({
    table: "gpt",
    parts: [{ name: "vda1", filesystem: "ext4", label: "my root" }],
    members: [],
  });
});

test("a partition of a RAID is no array of its own", async () => {
  const sysfs = `${HETZNER_DEDICATED.disks.sysfs}/sys/block/md0/md0p1/partition:1\n/sys/block/md0/md0p1/size:1\n/sys/block/md0/md0p1/dev:259:9\n`;
  const mountinfo = "30 1 0:27 / / rw - overlay overlay rw\n31 30 259:9 / /mnt rw - ext4 /dev/md0p1 rw";
  const { system, disks } = HETZNER_DEDICATED;
  const survey = await look({ ...HETZNER_DEDICATED, system: { ...system, mountinfo }, disks: { ...disks, sysfs } });
  expect(survey.disks[1]).toMatchObject({
    inUse: [
      "md0p1 is mounted at /mnt",
      "nvme1n1p1 belongs to the running RAID md0",
      "nvme1n1p2 belongs to the running RAID md127",
      "md127 belongs to the running LVM volume vg0-root--old",
    ],
    release: ["umount /mnt", "vgchange -an vg0", "mdadm --stop /dev/md127", "mdadm --stop /dev/md0"],
  });
});

test("a disk that cannot be read is not blank", async () => {
  const survey = await look({ ...OVH, broken: ["/dev/sdb"] });
  expect(survey.disks[1]?.holdsData).toBe(true);
});

test("the other devices of a mounted btrfs, and members of an imported pool, are in use", async () => {
  const mountinfo = "40 25 0:40 / /data rw - btrfs /dev/sdc rw\n25 1 0:1 / / rw - tmpfs tmpfs rw";
  const btrfs = await look({
    ...OVH,
    system: { ...OVH.system, mountinfo },
    disks: { ...OVH.disks, users: "/sys/fs/btrfs/aaaa/devices/sdb" },
  });
  expect(btrfs.disks[1]).toMatchObject({ inUse: ["sdb is mounted at /data"], release: ["umount /data"] });
  const lsblk = '{"blockdevices":[{"name":"sdb","kname":"sdb","fstype":"zfs_member","label":"tank"}]}';
  const pool = await look({
    ...OVH,
    disks: { ...OVH.disks, lsblk, pools: "/proc/spl/kstat/zfs/tank/io\n/proc/spl/kstat/zfs/tank/state" },
  });
  expect(pool.disks[1]).toMatchObject({ members: ["ZFS tank (sdb)"], holdsData: true });
  expect(pool.disks[1]).toMatchObject({ inUse: ["the ZFS pool tank is imported"], release: ["zpool export tank"] });
});

test("Secure Boot is read from the firmware's variable, and from mokutil where that cannot be read", async () => {
  const { system } = HETZNER_DEDICATED;
  const on = await look({ ...HETZNER_DEDICATED, system: { ...system, secureboot: " 06 00 00 00 01" } });
  expect(on.secureBoot).toBe(true);
  const said = { ...system, secureboot: "", mokutil: "SecureBoot enabled" };
  expect((await look({ ...HETZNER_DEDICATED, system: said })).secureBoot).toBe(true);
});

test("it takes four commands, none of which can write to a device", async () => {
  const shell = recordedShell(HETZNER_DEDICATED);
  await surveyServer(shell, AbortSignal.timeout(10_000));
  expect(shell.ran).toHaveLength(4);
  for (const command of shell.ran) {
    expect(command).not.toMatch(/\bof=|^\s*(rm|mv|mount|umount|tee) /m);
    for (const [, into] of command.matchAll(/[^2]>\s*(\S+)/g)) expect(into).toBe("/dev/null");
  }
});

test("an incomplete output is an error, not an empty server", async () => {
  const shell = recordedShell(OVH, (_, stdout) => stdout.replace("@@ end", ""));
  await expect(surveyServer(shell, AbortSignal.timeout(10_000))).rejects.toMatchObject({
    code: "SURVEY_UNREADABLE",
    kind: "remote",
  });
});

test.skipIf(!existsSync("/usr/bin/lsblk"))("this computer answers, too, in dash", async () => {
  const survey = await surveyServer(localShell(), AbortSignal.timeout(30_000));
  expect(survey.arch).toMatch(/^(amd64|arm64)$/);
  expect(survey.rootFilesystem).not.toBe("");
  expect(survey.memoryBytes).toBeGreaterThan(2 ** 28);
  expect(survey.tools.has("dd")).toBe(true);
  // The disk of the rescue system must not count as free.
  for (const disk of survey.disks.filter(({ name }) => name === survey.rootDisk)) expect(disk.inUse).not.toEqual([]);
});

import { spawnSync } from "node:child_process";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compress } from "../../factory/compress.ts";
import { RescueBench } from "../testing/bench.ts";

let bench: RescueBench;
beforeAll(async () => {
  bench = await RescueBench.start(
    {
      gateway: 1,
      firmware: "uefi",
      cards: ["02:00:00:AA:BB:01", "02:00:00:AA:BB:02"],
      disks: [
        { device: "sda", gib: 40, serial: "VPS-0001", wwid: "naa.5000c500a1b2c3d4", content: "debian", mounted: "/mnt" },
        { device: "nvme0n1", gib: 100, serial: "N-1", wwid: "eui.0025385b11409a21", content: "raid", active: true },
        { device: "vda", gib: 10, serial: "V-1", readonly: true },
        { device: "sdb", gib: 10, serial: "L-1", content: "lvm", active: true },
      ],
    },
    {
      tools: "busybox",
      prefix: 32,
      gateway: "203.0.113.1",
      network: "dhcp",
      egress: false,
      disks: [{ device: "sda", gib: 10, serial: "B-1" }],
    },
  );
});
afterAll(async () => {
  await bench.lab.close();
});

const out = async (line: string, name = "vps-1") => (await bench.run(line, "", name)).stdout;

describe("lsblk", () => {
  test("tells in JSON what it is asked for, as a tree", async () => {
    const { blockdevices } = JSON.parse(
      await out("lsblk -J -b -o NAME,SIZE,TYPE,SERIAL,WWN,FSTYPE,MOUNTPOINTS,RO,TRAN,PKNAME,PTTYPE"),
    );
    expect(blockdevices.map((one: { name: string }) => one.name)).toEqual(["sda", "nvme0n1", "vda", "sdb"]);
    const [sda, nvme, vda, sdb] = blockdevices;
    expect(sda).toMatchObject({
      size: 40 * 1024 ** 3,
      type: "disk",
      serial: "VPS-0001",
      wwn: "0x5000c500a1b2c3d4",
      ro: false,
      pttype: "gpt",
      mountpoints: [null],
    });
    expect(sda.children[2]).toMatchObject({ name: "sda3", fstype: "ext4", mountpoints: ["/mnt"], pkname: "sda", serial: null });
    expect(nvme.children[1]).toMatchObject({
      name: "nvme0n1p2",
      fstype: "linux_raid_member",
      children: [{ name: "md0", type: "raid1" }],
    });
    expect(vda).toMatchObject({ ro: true, tran: "virtio", pttype: null, fstype: null });
    expect(sdb.children[1]).toMatchObject({ fstype: "LVM2_member", children: [{ name: "vg0-root", type: "lvm" }] });
  });

  test("draws trees, prints lists and pairs, and knows its columns", async () => {
    expect((await out("lsblk /dev/sda")).split("\n")[0]).toMatch(/^NAME +MAJ:MIN RM +SIZE RO TYPE MOUNTPOINTS$/);
    expect(await out("lsblk -no NAME /dev/nvme0n1")).toBe("nvme0n1\n├─nvme0n1p1\n├─nvme0n1p2\n│ └─md0\n└─nvme0n1p3\n  └─md1\n");
    expect(await out("lsblk -dno SIZE /dev/vda /dev/sda")).toBe("10G\n40G\n");
    expect(await out("lsblk -P -d -o NAME,SERIAL /dev/sda")).toBe('NAME="sda" SERIAL="VPS-0001"\n');
    expect(await bench.run("lsblk -o NAME,COLOUR")).toMatchObject({ code: 1, stderr: "lsblk: unknown column: COLOUR\n" });
    expect(await bench.run("lsblk /dev/sdx")).toMatchObject({ code: 32, stderr: "lsblk: /dev/sdx: not a block device\n" });
  });

  test.skipIf(spawnSync("lsblk", ["-J"]).status !== 0)("has the keys of the real one", async () => {
    const columns =
      "NAME,PATH,TYPE,SIZE,MODEL,SERIAL,WWN,FSTYPE,LABEL,MOUNTPOINT,RO,RM,ROTA,TRAN,PKNAME,KNAME,PTTYPE,PARTLABEL,UUID";
    const keys = (text: string) => {
      const { children: _, ...first } = JSON.parse(text).blockdevices[0];
      return Object.entries(first).map(([key, value]) => [
        key,
        key === "ro" || key === "rm" || key === "rota" ? typeof value : "",
      ]);
    };
    const real = spawnSync("lsblk", ["-J", "-b", "-o", columns], { encoding: "utf8" }).stdout;
    expect(keys(await out(`lsblk -J -b -o ${columns}`))).toEqual(keys(real));
  });
});

test("findmnt, /proc and /sys agree", async () => {
  expect(await out("findmnt -no FSTYPE,SOURCE /")).toBe("overlay overlay\n");
  expect(await out("findmnt -no TARGET,FSTYPE /dev/sda3")).toBe("/mnt   ext4\n");
  expect(await out("grep sda3 /proc/mounts")).toBe("/dev/sda3 /mnt ext4 rw,relatime 0 0\n");
  expect(await out("cat /sys/block/sda/size; cat /sys/block/sda/sda3/partition; ls -d /sys/block/*/*/holders/*")).toBe(
    `${(40 * 1024 ** 3) / 512}\n3\n/sys/block/nvme0n1/nvme0n1p2/holders/md0\n/sys/block/nvme0n1/nvme0n1p3/holders/md1\n/sys/block/sdb/sdb2/holders/dm-0\n`,
  );
  expect(await out("[ -d /sys/firmware/efi ] && od -An -tx1 /sys/firmware/efi/efivars/SecureBoot-*")).toBe(" 06 00 00 00 00\n");
  expect(await out("readlink -f /dev/disk/by-id/wwn-0x5000c500a1b2c3d4-part3; cat /sys/block/nvme0n1/wwid")).toBe(
    "/dev/sda3\neui.0025385b11409a21\n",
  );
});

describe("ip", () => {
  test("tells of cards, addresses and routes", async () => {
    const { address } = bench.lab;
    const [, first, second] = JSON.parse(await out("ip -j addr"));
    expect(first).toMatchObject({
      ifname: "eth0",
      address: "02:00:00:aa:bb:01",
      addr_info: [{ local: address.host(11), prefixlen: 24 }],
    });
    expect(first.addr_info[0]).not.toHaveProperty("dynamic");
    expect(second).toMatchObject({ ifname: "eth1", operstate: "DOWN", addr_info: [] });
    expect(JSON.parse(await out("ip -j route show default"))).toEqual([
      { dst: "default", gateway: address.host(1), dev: "eth0", flags: [] },
    ]);
    expect(await out("ip route")).toContain(`default via ${address.host(1)} dev eth0 \n`);
  });
});

describe("what is in use", () => {
  test("can be let go of", async () => {
    expect(await bench.run("umount /nowhere")).toMatchObject({ code: 32, stderr: "umount: /nowhere: not mounted.\n" });
    await bench.run("umount /mnt; mdadm --stop /dev/md0 /dev/md1; vgchange -an");
    expect(await out("findmnt -n /mnt; cat /proc/mdstat | grep -c md; ls /sys/block/sdb/sdb2/holders")).toBe("0\n");
  });

  test("wipefs tells of marks, and takes them away only when told to", async () => {
    expect((await out("wipefs /dev/sdb2")).split("\n")[1]).toMatch(/^sdb2 +0x200 LVM2_member/);
    await bench.run("wipefs -n -a /dev/sdb2");
    expect(await out("lsblk -dno FSTYPE /dev/sdb2")).toBe("LVM2_member\n");
    expect(await out("wipefs -a /dev/sdb2")).toContain("/dev/sdb2: 8 bytes were erased at offset 0x00000200 (LVM2_member)");
    expect(await out("blkid /dev/sdb2")).not.toContain("TYPE=");
  });
});

describe("dd", () => {
  test("writes at the given offset, and no further than the end", async () => {
    await bench.run(
      "printf hello | dd of=/dev/sdb bs=1M seek=10 oflag=seek_bytes 2>/dev/null; printf world | dd of=/dev/sdb bs=5 seek=3 2>/dev/null",
    );
    expect(await out("dd if=/dev/sdb bs=1 skip=10 count=10 2>/dev/null")).toBe("helloworld");
    const full = await bench.run("dd if=/dev/zero of=/dev/sdb bs=1M seek=10239 count=2");
    expect(full).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^dd: error writing '\/dev\/sdb': No space left on device\n1\+0|2\+0 records in\n/),
    });
    expect(await bench.run("dd if=/dev/zero of=/dev/vda count=1")).toMatchObject({
      code: 1,
      stderr: "dd: failed to open '/dev/vda': Read-only file system\n",
    });
    expect(await bench.run("dd of=/dev/none if=/dev/null")).toMatchObject({ code: 0 });
    expect((await bench.run("dd frob=1")).stderr).toContain("unrecognized operand");
  });

  test("blockdev knows the size", async () => {
    expect(await out("blockdev --getsize64 --getss /dev/sda")).toBe(`${40 * 1024 ** 3}\n512\n`);
  });
});

describe("packed files", () => {
  const content = Buffer.concat([Buffer.from("begin"), Buffer.alloc(200_000), Buffer.from("end")]);
  const sum = async (line: string, packed: Uint8Array) => bench.run(`${line} | sha256sum`, Buffer.from(packed));
  const expected = () => bench.run("sha256sum", content);

  test.each([
    ["zstd -dc", compress(content, "zst")],
    ["xz -dc", compress(content, "xz")],
    ["gzip -dc", gzipSync(content)],
  ])("%s unpacks", async (line, packed) => {
    expect((await sum(line, packed)).stdout).toBe((await expected()).stdout);
  });

  test.each([
    ["zstd -dc", compress(content, "zst")],
    ["xz -dc", compress(content, "xz")],
    ["gzip -dc", gzipSync(content)],
  ])("%s notices what breaks off", async (line, packed) => {
    const { code, stderr } = await bench.run(`${line} > /dev/null`, Buffer.from(packed.subarray(0, packed.length - 9)));
    expect([code, stderr]).toEqual([1, expect.stringMatching(/end of/i)]);
  });
});

describe("downloads", () => {
  test("come from the lab's factory, also under its real name, and from nowhere else", async () => {
    const url = "https://factory.talos.dev/versions";
    expect(JSON.parse(await out(`curl -fsSL ${url}`))).toContain("v1.13.9");
    expect(await out(`wget -q -O - ${url} | wc -l`)).not.toBe("0\n");
    expect(await bench.run("curl -fsS https://factory.talos.dev/none")).toMatchObject({
      code: 22,
      stderr: "curl: (22) The requested URL returned error: 404\n",
    });
    expect(await bench.run("curl -sS https://example.com/")).toMatchObject({
      code: 6,
      stderr: "curl: (6) Could not resolve host: example.com\n",
    });
  });

  test("that break off fail", async () => {
    bench.lab.setFaults([{ service: "factory", occurrence: 1, fault: { kind: "cut-after" } }]);
    expect((await bench.run("curl -fsS https://factory.talos.dev/versions")).code).toBe(18);
    bench.lab.setFaults([]);
  });
});

test("a near-empty system has a shell, dd and cat, and neither tables of disks nor downloads", async () => {
  const there =
    "for t in dd cat lsblk curl wget zstd sha256sum blockdev ip findmnt; do command -v $t >/dev/null && echo $t; done";
  expect(await out(there, "vps-2")).toBe("dd\ncat\n");
  expect(await bench.run("lsblk", "", "vps-2")).toMatchObject({ code: 127, stderr: "bash: line 1: lsblk: command not found\n" });
  expect(await out("cat /proc/mounts | head -n 1", "vps-2")).toMatch(/^rootfs \/ rootfs/);
  expect(await out("cat /proc/partitions | tail -n 1", "vps-2")).toBe("   8        0   10485760 sda\n");
});

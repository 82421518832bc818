import { files, type Recording } from "./recorded-shell.ts";

/** A dedicated server in a Debian rescue system: two NVMe disks in a running RAID 1 with LVM on it, util-linux 2.38, root in memory over NFS. */
export const HETZNER_DEDICATED: Recording = {
  system: {
    from: "198.51.100.7 51734 203.0.113.11 22",
    hostname: "rescue",
    root: "overlay overlay",
    mountinfo: `
1 1 0:2 / / rw - rootfs rootfs rw
22 30 0:21 / /sys rw,nosuid,nodev,noexec,relatime shared:7 - sysfs sysfs rw
25 30 0:5 / /dev rw,nosuid,relatime shared:2 - devtmpfs udev rw,size=32819612k
30 1 0:27 / / rw,relatime shared:1 - overlay overlay rw,lowerdir=/nfsroot,upperdir=/ramfs/root,workdir=/ramfs/work
38 30 0:31 / /root/.oldroot/nfs ro,relatime - nfs 10.255.255.1:/nfs ro,vers=3,nolock`,
    mounts: "overlay / overlay rw,relatime 0 0",
    swaps: "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority",
    cmdline: "initrd=initrd.img ip=dhcp root=/dev/nfs nfsroot=10.255.255.1:/nfs rescue64 quiet",
    machine: "x86_64",
    efi: "yes",
    secureboot: " 06 00 00 00 00",
    memory: "MemTotal:       65639224 kB\nMemFree:        63000000 kB",
    uuid: "5CA7C5A4-2F1B-11EC-8D3D-0242AC130003",
    tools: "curl\nwget\nzstd\nxz\ngzip\ndd\nsync\nsha256sum\nblockdev\ntee\nmkfifo\nreboot",
  },
  disks: {
    sysfs:
      files("/sys/block/loop0", { dev: "7:0", size: 0, ro: 0, removable: 0 }) +
      ["0", "1"].map(nvme).join("") +
      files("/sys/block/md0", { dev: "9:0", size: 1072693248, ro: 0, removable: 0 }) +
      files("/sys/block/md127", { dev: "9:127", size: 926678016, ro: 0, removable: 0 }) +
      files("/sys/block/dm-0", {
        dev: "253:0",
        size: 209715200,
        ro: 0,
        "dm/name": "vg0-root--old",
        "dm/uuid": "LVM-abcdefghijkl",
      }),
    places: `
total 0
lrwxrwxrwx 1 root root 0 Nov 16 10:00 nvme0n1 -> ../devices/pci0000:00/0000:00:01.1/0000:01:00.0/nvme/nvme0/nvme0n1
lrwxrwxrwx 1 root root 0 Nov 16 10:00 nvme1n1 -> ../devices/pci0000:00/0000:00:01.2/0000:02:00.0/nvme/nvme1/nvme1n1`,
    users: `
/sys/block/dm-0/slaves/md127
/sys/block/md0/slaves/nvme0n1p1
/sys/block/md0/slaves/nvme1n1p1
/sys/block/md127/holders/dm-0
/sys/block/md127/slaves/nvme0n1p2
/sys/block/md127/slaves/nvme1n1p2
/sys/block/nvme0n1/nvme0n1p1/holders/md0
/sys/block/nvme0n1/nvme0n1p2/holders/md127
/sys/block/nvme1n1/nvme1n1p1/holders/md0
/sys/block/nvme1n1/nvme1n1p2/holders/md127`,
    links: `
/dev/disk/by-id/nvme-SAMSUNG_MZVL2512HCJQ-00B00_S675NX0T123456 /dev/nvme0n1
/dev/disk/by-id/nvme-SAMSUNG_MZVL2512HCJQ-00B00_S675NX0T123456-part1 /dev/nvme0n1p1
/dev/disk/by-id/nvme-eui.002538b131b0c1a0 /dev/nvme0n1`,
    lsblk: JSON.stringify({ blockdevices: ["0", "1"].map(lsblkNvme) }, undefined, 3),
  },
  network: {
    cards: `
/sys/class/net/enp9s0/address:a8:a1:59:0f:12:34
/sys/class/net/lo/address:00:00:00:00:00:00
/sys/class/net/enp9s0/type:1
/sys/class/net/lo/type:772`,
    physical: "/sys/class/net/enp9s0/device",
    addresses: JSON.stringify([
      { ifname: "lo", link_type: "loopback", addr_info: [{ family: "inet", local: "127.0.0.1", prefixlen: 8, scope: "host" }] },
      {
        ifname: "enp9s0",
        link_type: "ether",
        address: "a8:a1:59:0f:12:34",
        addr_info: [
          { family: "inet", local: "203.0.113.11", prefixlen: 26, scope: "global", dynamic: true, valid_life_time: 42950 },
          { family: "inet6", local: "2001:db8:71:1::2", prefixlen: 64, scope: "global" },
          { family: "inet6", local: "fe80::aaa1:59ff:fe0f:1234", prefixlen: 64, scope: "link" },
        ],
      },
    ]),
    routes: '[{"dst":"default","gateway":"203.0.113.1","dev":"enp9s0","flags":[]}]',
    routes6: '[{"dst":"default","gateway":"fe80::1","dev":"enp9s0","metric":1024,"flags":[],"pref":"medium"}]',
    resolvers: "# made by rescue\nnameserver 185.12.64.1\nnameserver 2a01:4ff:ff00::add:1",
  },
  blank: [],
};

function nvme(number: string): string {
  const name = `nvme${number}n1`;
  const folder = `/sys/block/${name}`;
  return (
    files(folder, { dev: `259:${number}`, size: 1000215216, ro: 0, removable: 0, hidden: 0, "queue/rotational": 0 }) +
    files(folder, {
      "queue/logical_block_size": 512,
      wwid: `eui.002538b131b0c1a${number}`,
      "device/serial": `S675NX0T12345${6 + Number(number)}     `,
    }) +
    files(folder, { "device/model": "SAMSUNG MZVL2512HCJQ-00B00              " }) +
    files(`${folder}/${name}p1`, { dev: `259:${number}1`, partition: 1, size: 67108864, ro: 0 }) +
    files(`${folder}/${name}p2`, { dev: `259:${number}2`, partition: 2, size: 933103616, ro: 0 })
  );
}

function lsblkNvme(number: string) {
  const name = `nvme${number}n1`;
  const raid = { model: null, serial: null, fstype: "linux_raid_member", pttype: "gpt", tran: "nvme" };
  return {
    name,
    kname: name,
    type: "disk",
    size: 512110190592,
    model: "SAMSUNG MZVL2512HCJQ-00B00",
    serial: `S675NX0T12345${6 + Number(number)}`,
    wwn: `eui.002538b131b0c1a${number}`,
    fstype: null,
    label: null,
    pttype: "gpt",
    tran: "nvme",
    children: [
      { name: `${name}p1`, kname: `${name}p1`, type: "part", label: "rescue:0", ...raid },
      { name: `${name}p2`, kname: `${name}p2`, type: "part", label: "rescue:127", ...raid },
    ],
  };
}

import { files, type Recording } from "./recorded-shell.ts";

/** A rescue system that mounted the server's disk by itself; util-linux 2.29, whose lsblk knows no PTTYPE, and prints pairs; static address. */
export const CONTABO: Recording = {
  system: {
    from: "198.51.100.7 40022 203.0.113.21 22",
    hostname: "rescue-system",
    root: "tmpfs  tmpfs",
    mounts: `
tmpfs / tmpfs rw,relatime,size=1048576k 0 0
proc /proc proc rw,relatime 0 0
/dev/sda3 /mnt/my\\040disk ext4 rw,relatime,errors=remount-ro 0 0
/dev/sda2 /mnt/my\\040disk/boot ext4 rw,relatime 0 0`,
    swaps: "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n/dev/sda1                               partition\t999420\t0\t-2",
    cmdline: "BOOT_IMAGE=/vmlinuz rescue",
    machine: "x86_64",
    mokutil: "EFI variables are not supported on this system",
    memory: "MemTotal:        8148704 kB",
    uuid: "11c7fd22-5a0d-4f0f-8a3d-9f3f12a6a001",
    tools: "wget\nxz\ngzip\ndd\nsync\nsha256sum",
  },
  disks: {
    sysfs:
      files("/sys/block/sda", { dev: "8:0", size: 419430400, ro: 0, removable: 0, "queue/rotational": 1 }) +
      files("/sys/block/sda", { "queue/logical_block_size": 512, "device/model": "QEMU HARDDISK   " }) +
      files("/sys/block/sda", { "device/wwid": "t10.ATA     QEMU HARDDISK                           QM00001             " }) +
      files("/sys/block/sda/sda1", { dev: "8:1", partition: 1, size: 1998848, ro: 0 }) +
      files("/sys/block/sda/sda2", { dev: "8:2", partition: 2, size: 1998848, ro: 0 }) +
      files("/sys/block/sda/sda3", { dev: "8:3", partition: 3, size: 415428608, ro: 0 }) +
      files("/sys/block/sr0", { dev: "11:0", size: 2097151, ro: 0, removable: 1 }),
    serials: "/sys/block/sda/device/vpd_pg80:QM00001             \n",
    lsblk: `
KNAME="sda" SIZE="214748364800" MODEL="QEMU HARDDISK   " SERIAL="QM00001" WWN="" FSTYPE="" LABEL=""
KNAME="sda1" SIZE="1023410176" MODEL="" SERIAL="" WWN="" FSTYPE="swap" LABEL=""
KNAME="sda2" SIZE="1023410176" MODEL="" SERIAL="" WWN="" FSTYPE="ext4" LABEL="boot\\x20\\x22a\\x22"
KNAME="sda3" SIZE="212699447296" MODEL="" SERIAL="" WWN="" FSTYPE="ext4" LABEL="root"`,
  },
  network: {
    cards: "/sys/class/net/eth0/address:00:50:56:4a:11:22\n/sys/class/net/eth0/type:1",
    physical: "/sys/class/net/eth0/device",
    // iproute2 of that age says: Option "-j" is unknown.
    addresses: `
1: lo    inet 127.0.0.1/8 scope host lo\\       valid_lft forever preferred_lft forever
2: eth0    inet 203.0.113.21/24 brd 203.0.113.255 scope global eth0\\       valid_lft forever preferred_lft forever
2: eth0    inet6 fe80::250:56ff:fe4a:1122/64 scope link \\       valid_lft forever preferred_lft forever`,
    routes: "default via 203.0.113.1 dev eth0 onlink",
    resolvers: "nameserver 127.0.0.53\noptions edns0",
    uplinks: "nameserver 213.136.95.10\nnameserver 213.136.95.11",
  },
  blank: [],
  marks: { "/dev/sda 510": "55 aa", "/dev/sda 512": "45 46 49 20 50 41 52 54" },
};

import { files, type Recording } from "./recorded-shell.ts";

/** A minimal system: an arm64 machine on a ramdisk with busybox, without lsblk, findmnt, blkid and ip -j; an old RAID member as its disk. */
export const BUSYBOX: Recording = {
  system: {
    from: "198.51.100.7 51734 203.0.113.41 22",
    hostname: "(none)",
    mountinfo: "",
    mounts: "rootfs / rootfs rw 0 0\nproc /proc proc rw,relatime 0 0\nsysfs /sys sysfs rw,relatime 0 0",
    cmdline: "console=ttyAMA0 ip=dhcp",
    machine: "aarch64",
    efi: "yes",
    memory: "MemTotal:        4030000 kB",
    tools: "gzip\ndd\nsync",
  },
  disks: {
    sysfs:
      files("/sys/block/vda", { dev: "254:0", size: 83886080, ro: 0, removable: 0, "queue/rotational": 1, serial: "VOL-0041" }) +
      files("/sys/block/vda/vda1", { dev: "254:1", partition: 1, size: 83884032, ro: 0 }) +
      files("/sys/block/ram0", { dev: "1:0", size: 8192, ro: 0, removable: 0 }),
  },
  network: {
    cards: "/sys/class/net/eth0/address:96:00:00:0a:bc:de\n/sys/class/net/eth0/type:1",
    physical: "/sys/class/net/eth0/device",
    addresses: "2: eth0    inet 203.0.113.41/32 scope global eth0",
    routes: "",
    procroute: `
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t01011FAC\t0003\t0\t0\t0\t00000000\t0\t0\t0
eth0\t01011FAC\t00000000\t0005\t0\t0\t0\tFFFFFFFF\t0\t0\t0`,
    resolvers: "nameserver 185.12.64.1",
  },
  blank: [],
  marks: { "/dev/vda 510": "55 aa", "/dev/vda1 4096": "fc 4e 2b a9 01 00 00 00" },
};

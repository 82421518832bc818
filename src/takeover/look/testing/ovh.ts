import { files, type Recording } from "./recorded-shell.ts";

/** A VPS whose rescue system brings a disk of its own: it runs from sda, and the server's disk is sdb, which is not used yet. DHCP, /32. */
export const OVH: Recording = {
  system: {
    from: "2001:db8:1::7 51734 2001:db8:2::31 22",
    hostname: "rescue-customer-eu",
    root: "ext4 /dev/sda1",
    mountinfo: `
25 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw,discard
28 25 0:24 / /run rw,nosuid,nodev shared:5 - tmpfs tmpfs rw,size=388252k,mode=755`,
    swaps: "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority",
    cmdline: "BOOT_IMAGE=/boot/vmlinuz-6.1.0-amd64 root=PARTUUID=aaaa ro console=tty0 console=ttyS0,115200",
    machine: "x86_64",
    memory: "MemTotal:        1992724 kB",
    uuid: "b1a9e4de-37a8-4c5a-9a34-1f0bb2a00c31",
    tools: "curl\nwget\nzstd\nxz\ngzip\ndd",
  },
  disks: {
    sysfs:
      files("/sys/block/sda", { dev: "8:0", size: 6291456, ro: 0, removable: 0, "device/model": "QEMU HARDDISK" }) +
      files("/sys/block/sda/sda1", { dev: "8:1", partition: 1, size: 6027231, ro: 0 }) +
      files("/sys/block/sda", { "device/wwid": "t10.QEMU    QEMU HARDDISK   drive-scsi0-0-0-0" }) +
      files("/sys/block/sdb", { dev: "8:16", size: 83886080, ro: 0, removable: 0, "device/model": "QEMU HARDDISK" }) +
      files("/sys/block/sdb", { "device/wwid": "t10.QEMU    QEMU HARDDISK   drive-scsi0-0-0-1", "queue/rotational": 0 }),
    lsblk: JSON.stringify({
      blockdevices: [
        {
          name: "sda",
          kname: "sda",
          serial: "drive-scsi0-0-0-0",
          pttype: "gpt",
          children: [{ name: "sda1", kname: "sda1", fstype: "ext4", label: null }],
        },
        { name: "sdb", kname: "sdb", serial: "drive-scsi0-0-0-1", wwn: null, fstype: null, pttype: null },
      ],
    }),
  },
  network: {
    cards: "/sys/class/net/ens3/address:fa:16:3e:12:34:56\n/sys/class/net/ens3/type:1",
    physical: "/sys/class/net/ens3/device",
    addresses: JSON.stringify([
      {},
      {
        ifname: "ens3",
        addr_info: [
          { family: "inet", local: "203.0.113.31", prefixlen: 32, scope: "global", dynamic: true },
          { family: "inet6", local: "2001:db8:2::31", prefixlen: 128, scope: "global" },
        ],
      },
    ]),
    routes:
      '[{"dst":"default","gateway":"203.0.112.1","dev":"ens3","protocol":"dhcp","prefsrc":"203.0.113.31","metric":100,"flags":[]}]',
    resolvers: "nameserver 127.0.0.53",
    resolvectl: "Global:\nLink 2 (ens3): 213.186.33.99 fe80::1%ens3",
  },
  blank: ["/dev/sdb"],
};

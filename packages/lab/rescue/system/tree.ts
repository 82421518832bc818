import { versionOf } from "../disk/blocks.ts";
import { ipOf, type ServerDisk } from "../state.ts";
import { type BlockDevice, blockDevices, blockTree, devicePath } from "./block-tree.ts";
import type { View } from "./host.ts";
import { mountsOf } from "./mounts.ts";

/** What the kernel and the system show as files, made up each time. */
export interface Tree {
  /** By absolute path. */
  files: Map<string, string | Buffer>;
  devices: Map<string, BlockDevice>;
  /** Symbolic links that lead to one of these. */
  links: Map<string, string>;
  /** Besides those that something is in. */
  folders: Set<string>;
}

const known = new WeakMap<object, { of: string; tree: Tree }>();

/** Asked for with every file that is opened, and changed much less often. */
export function treeOf(view: View): Tree {
  const { server, linux } = view;
  const { mounts, swaps, arrays, volumes } = linux;
  const of = JSON.stringify([server.disks.map(versionOf), mounts, swaps, arrays, volumes, server.runs]);
  const before = known.get(linux);
  if (before?.of === of) return before.tree;
  const tree = newTree(view);
  known.set(linux, { of, tree });
  return tree;
}

function newTree(view: View): Tree {
  const tree: Tree = {
    files: new Map(),
    devices: new Map(),
    links: new Map(),
    folders: new Set(["/tmp", "/run", "/root", "/mnt", "/dev/shm"]),
  };
  kernel(view, tree);
  for (const [place, disk] of blockTree(view).entries()) showDisk(tree, disk, place);
  for (const device of blockDevices(view)) {
    tree.devices.set(devicePath(device), device);
    for (const link of linksTo(device)) tree.links.set(link, devicePath(device));
  }
  cards(view, tree);
  return tree;
}

function kernel(view: View, { files, folders }: Tree): void {
  const { server, linux } = view;
  const add = (path: string, text: string) => files.set(path, text);
  const hostname = hostnameOf(view);
  const total = server.memoryMiB * 1024 - 61_440;
  const mounts = mountsOf(view);
  add("/proc/sys/kernel/hostname", `${hostname}\n`);
  add("/etc/hostname", `${hostname}\n`);
  add("/proc/cmdline", `${cmdlineOf(view)}\n`);
  add("/proc/mounts", mounts.map((one) => `${one.source} ${one.target} ${one.type} ${one.options} 0 0\n`).join(""));
  const info = mounts.map(
    (one, at) =>
      `${22 + at} 1 ${one.numbers} / ${one.target} ${one.options.split(",").slice(0, 2)} shared:${at + 1} - ${one.type} ${one.source} rw\n`,
  );
  add("/proc/self/mountinfo", info.join(""));
  const swaps = linux.swaps.map((name) => `/dev/${name}                               partition\t1048572\t\t0\t\t-2\n`);
  add("/proc/swaps", `Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n${swaps.join("")}`);
  const arrays = linux.arrays.map(
    ({ name, members }) =>
      `${name} : active raid1 ${members.map((member, at) => `${member}[${at}]`).join(" ")}\n      1046528 blocks super 1.2 [2/2] [UU]\n      \n`,
  );
  add("/proc/mdstat", `Personalities : [raid1] \n${arrays.join("")}unused devices: <none>\n`);
  const sizes = blockDevices(view).map(({ numbers, bytes, name }) => {
    const [major = "", minor = ""] = numbers.split(":");
    return `${major.padStart(4)} ${minor.padStart(8)} ${String(bytes / 1024).padStart(10)} ${name}\n`;
  });
  add("/proc/partitions", `major minor  #blocks  name\n\n${sizes.join("")}`);
  add(
    "/proc/meminfo",
    `MemTotal:       ${String(total).padStart(8)} kB\nMemFree:        ${String(Math.floor(total * 0.9)).padStart(8)} kB\nMemAvailable:   ${String(Math.floor(total * 0.92)).padStart(8)} kB\n`,
  );
  add(
    "/proc/cpuinfo",
    Array.from({ length: server.cores }, (_, at) => `processor\t: ${at}\nmodel name\t: Lab vCPU\n\n`).join(""),
  );
  add("/proc/self/stat", "871 (cut) R 870 870 870 0 -1 4194304 95 0 0 0 0 0 0 0 20 0 1 0 4242 5619712 206\n");
  add("/proc/sysrq-trigger", "");
  add("/proc/sys/kernel/sysrq", "438\n");
  add("/proc/sys/vm/drop_caches", "0\n");
  add("/sys/class/dmi/id/product_uuid", `${server.uuid}\n`);
  add("/sys/class/dmi/id/product_name", "vServer\n");
  add("/sys/class/dmi/id/sys_vendor", "Talosmith\n");
  if (server.firmware === "uefi") {
    folders.add("/sys/firmware/efi");
    files.set("/sys/firmware/efi/fw_platform_size", "64\n");
    const secure = Buffer.from([6, 0, 0, 0, server.secureBoot ? 1 : 0]);
    files.set("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", secure);
  }
  const resolvers = "nameserver 185.12.64.1\nnameserver 185.12.64.2\n";
  add("/etc/resolv.conf", resolvers);
  add("/etc/os-release", 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n');
}

export function hostnameOf({ server }: View): string {
  return server.runs === "rescue" ? "rescue" : server.name;
}

function cmdlineOf({ server }: View): string {
  if (server.runs === "rescue") return "initrd=initrd.img root=/dev/ram0 rescue=64 console=tty0 net.ifnames=0";
  return "BOOT_IMAGE=/boot/vmlinuz-6.1.0-37-amd64 root=UUID=0b2e4f5c-7f8a-4c1d-9f53-1f5d2c8d7a10 ro console=ttyS0";
}

/** Where the kernel has a device: what links of /sys lead to. */
function placeOf(disk: ServerDisk, place: number): string {
  const { device } = disk;
  if (device.startsWith("nvme")) return `pci0000:00/0000:01:00.0/nvme/nvme${place}/${device}`;
  if (device.startsWith("vd")) return `pci0000:00/0000:00:0${place + 5}.0/virtio${place + 1}/block/${device}`;
  return `pci0000:00/0000:00:05.0/virtio1/host0/target0:0:${place}/0:0:${place}:0/block/${device}`;
}

function showDisk({ files, links, folders }: Tree, found: BlockDevice, place: number): void {
  const { disk } = found;
  if (!disk) return;
  const home = `/sys/block/${disk.device}`;
  const add = (path: string, text: string | Buffer) => files.set(`${home}/${path}`, text);
  links.set(home, `../devices/${placeOf(disk, place)}`);
  add("dev", `${found.numbers}\n`);
  add("size", `${disk.bytes / 512}\n`);
  add("ro", disk.readonly ? "1\n" : "0\n");
  add("removable", disk.removable ? "1\n" : "0\n");
  add("hidden", "0\n");
  add("queue/rotational", disk.rotational ? "1\n" : "0\n");
  add("queue/logical_block_size", "512\n");
  add("queue/physical_block_size", "512\n");
  if (disk.device.startsWith("nvme")) {
    if (disk.wwid !== undefined) add("wwid", `${disk.wwid}\n`);
    add("device/serial", `${disk.serial.padEnd(20)}\n`);
    add("device/model", `${disk.model.padEnd(40)}\n`);
  } else if (disk.device.startsWith("vd")) {
    add("serial", disk.serial);
  } else {
    add("device/model", `${disk.model.padEnd(16)}\n`);
    add("device/vendor", "QEMU    \n");
    add("device/vpd_pg80", Buffer.concat([Buffer.from([0, 0x80, 0, disk.serial.length]), Buffer.from(disk.serial)]));
    add("device/wwid", `${disk.wwid ?? `t10.QEMU    QEMU HARDDISK   ${disk.serial}`}\n`);
  }
  folders.add(`${home}/holders`);
  folders.add(`${home}/slaves`);
  showChildren(files, folders, home, found);
}

function showChildren(files: Tree["files"], folders: Tree["folders"], home: string, found: BlockDevice): void {
  for (const child of found.children) {
    if (child.partition) {
      const own = `${home}/${child.name}`;
      files.set(`${own}/dev`, `${child.numbers}\n`);
      files.set(`${own}/partition`, `${child.partition.index + 1}\n`);
      files.set(`${own}/size`, `${child.bytes / 512}\n`);
      files.set(`${own}/start`, `${child.partition.first}\n`);
      files.set(`${own}/ro`, child.readonly ? "1\n" : "0\n");
      folders.add(`${own}/holders`);
      showChildren(files, folders, own, child);
      continue;
    }
    // dm-0 is what the kernel calls a volume whatever its name.
    const name = child.type === "lvm" ? `dm-${child.numbers.split(":")[1]}` : child.name;
    folders.add(`${home}/holders/${name}`);
    folders.add(`/sys/block/${name}/slaves/${found.name}`);
    folders.add(`/sys/block/${name}/holders`);
    files.set(`/sys/block/${name}/dev`, `${child.numbers}\n`);
    files.set(`/sys/block/${name}/size`, `${child.bytes / 512}\n`);
    files.set(`/sys/block/${name}/ro`, "0\n");
    files.set(`/sys/block/${name}/removable`, "0\n");
    if (child.type === "lvm") {
      files.set(`/sys/block/${name}/dm/name`, `${child.name}\n`);
      files.set(`/sys/block/${name}/dm/uuid`, `LVM-${child.name}\n`);
    } else files.set(`/sys/block/${name}/md/level`, "raid1\n");
  }
}

function linksTo({ name, disk, partition, type }: BlockDevice): string[] {
  if (!disk || (type !== "disk" && type !== "part")) return [];
  const part = partition ? `-part${partition.index + 1}` : "";
  const model = disk.model.replaceAll(" ", "_");
  if (name.startsWith("nvme")) return [`/dev/disk/by-id/nvme-${model}_${disk.serial}${part}`];
  if (name.startsWith("vd")) return [`/dev/disk/by-id/virtio-${disk.serial.slice(0, 20)}${part}`];
  const wwn = disk.wwid?.startsWith("naa.") ? [`/dev/disk/by-id/wwn-0x${disk.wwid.slice(4)}${part}`] : [];
  return [`/dev/disk/by-id/scsi-0QEMU_${model}_${disk.serial}${part}`, ...wwn];
}

function cards({ server, lab }: View, { files, folders }: Tree): void {
  files.set("/sys/class/net/lo/address", "00:00:00:00:00:00\n");
  files.set("/sys/class/net/lo/type", "772\n");
  for (const { name, mac } of server.cards) {
    files.set(`/sys/class/net/${name}/address`, `${mac}\n`);
    files.set(`/sys/class/net/${name}/type`, "1\n");
    folders.add(`/sys/class/net/${name}/device`);
  }
  const [first] = server.cards;
  const hex = (ip: string) => Buffer.from(ip.split(".").map(Number)).reverse().toString("hex").toUpperCase().padStart(8, "0");
  const route = (destination: string, gateway: string, flags: string, mask: string) =>
    `${first?.name}\t${destination}\t${gateway}\t${flags}\t0\t0\t0\t${mask}\t0\t0\t0\n`;
  const gateway = server.gateway === undefined ? "" : route("00000000", hex(ipOf(lab, server.gateway)), "0003", "00000000");
  files.set("/proc/net/route", `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n${gateway}`);
}

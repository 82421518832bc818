import type { Called } from "../api/caller.ts";
import { diskFacts } from "../disk-facts.ts";
import { loadedModules, nvidiaDriver } from "../machine/modules.ts";
import { networkOf } from "../machine/network.ts";
import { talosState } from "../state.ts";
import { releaseOf } from "../versions.ts";
import { cgroupFiles, PRESSURE } from "./cgroups.ts";
import { processesOf } from "./processes.ts";

/** A file, a folder or a link of a node. */
export interface Entry {
  path: string;
  /** Content of a file. */
  text?: string;
  /** Target of a link. */
  link?: string;
  modified: number;
}

const OS_RELEASE = `HOME_URL="https://www.talos.dev/"
BUG_REPORT_URL="https://github.com/siderolabs/talos/issues"
VENDOR_NAME="Sidero Labs"
VENDOR_URL="https://www.siderolabs.com/"
`;

/** The folders of Talos's image that users are likely to look for. */
const FOLDERS =
  "/.extra /boot /dev /etc /etc/cni /etc/kubernetes /etc/ssl /mnt /opt /proc /run /run/containerd /sys /sys/dev /sys/dev/block /sys/fs /sys/fs/cgroup /system /system/state /tmp /usr /usr/bin /usr/lib /usr/local /usr/share /var /var/lib /var/lib/containerd /var/lib/kubelet /var/log /var/log/audit".split(
    " ",
  );
const LINKS: Record<string, string> = { "/bin": "usr/bin", "/lib": "usr/lib", "/sbin": "usr/bin" };

/** All entries in the order of a walk: each folder before its content. */
export function entriesOf(called: Called): Entry[] {
  const modified = called.lab.timeOfDay(called.boot.since);
  const files = filesOf(called);
  const parents = Object.keys(files).flatMap((path) => parentsOf(path));
  const folders = [...new Set(["/", ...FOLDERS, ...parents])].map((path) => ({ path, modified }));
  const links = Object.entries({ ...LINKS, ...blockDevices(called) }).map(([path, link]) => ({ path, link, modified }));
  const texts = Object.entries(files).map(([path, text]) => ({ path, text, modified }));
  const key = ({ path }: Entry) => path.replaceAll("/", "\u0000");
  return [...folders, ...links, ...texts].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Disks by their device numbers, as the kernel lists them. */
function blockDevices({ machine }: Called): Record<string, string> {
  const numbers = { sd: [8, 16], vd: [252, 16], sr: [11, 1], nvme: [259, 1] } as const;
  return Object.fromEntries(
    machine.hardware.disks.map((disk, place) => {
      const kind = (Object.keys(numbers) as (keyof typeof numbers)[]).find((one) => disk.device.startsWith(one)) ?? "sd";
      const [major, step] = numbers[kind];
      const minor = (kind === "sr" ? 0 : place) * step;
      return [`/sys/dev/block/${major}:${minor}`, `../../devices${diskFacts(disk).busPath}/block/${disk.device}`];
    }),
  );
}

function parentsOf(path: string): string[] {
  const names = path.split("/").slice(1, -1);
  return names.map((_, index) => `/${names.slice(0, index + 1).join("/")}`);
}

/** The files of a node that are used by tests and programs. */
function filesOf(called: Called): Record<string, string> {
  const { lab, machine, boot } = called;
  const data = boot.disk === undefined ? undefined : talosState(lab).disks[boot.disk]?.etcd;
  return {
    // On the partition EPHEMERAL: it exists once the node has booted, whether or not etcd is running.
    ...(data !== undefined && { "/var/lib/etcd/member/snap/db": "" }),
    "/proc/sys/kernel/random/boot_id": `${boot.id}\n`,
    "/proc/version": `Linux version ${releaseOf(boot.system.version).kernel}\n`,
    "/proc/bus/pci/devices": (machine.hardware.pci ?? [])
      .map(({ vendor, device }, n) => `${(n * 8).toString(16).padStart(4, "0")}\t${vendor}${device}\t0\n`)
      .join(""),
    "/proc/pressure/io": PRESSURE,
    "/etc/hostname": `${networkOf(machine).hostname}\n`,
    "/etc/os-release": `NAME="Talos"\nID=talos\nVERSION_ID=${boot.system.version}\nPRETTY_NAME="Talos (${boot.system.version})"\n${OS_RELEASE}`,
    "/etc/resolv.conf": "nameserver 127.0.0.53\n",
    "/proc/modules": loadedModules(lab, machine, boot)
      .map(({ name, needs }) => `${name} 24576 0 ${needs.length === 0 ? "-" : `${needs.join(",")},`} Live 0x0000000000000000\n`)
      .join(""),
    ...nvidiaFiles(nvidiaDriver(lab, machine, boot)),
    "/proc/cpuinfo": Array.from({ length: machine.hardware.cores }, (_, n) => `processor\t: ${n}\n`).join(""),
    ...cgroupFiles(processesOf(called), machine.hardware.cores),
  };
}

/** The files of a loaded driver. */
function nvidiaFiles(branch: string | undefined): Record<string, string> {
  if (branch === undefined) return {};
  const version = branch === "lts" ? "580.126.20" : "570.211.01";
  return { "/proc/driver/nvidia/version": `NVRM version: NVIDIA UNIX x86_64 Kernel Module  ${version}  Release Build\n` };
}

import type { Called } from "../api/caller.ts";
import { loadedModules, nvidiaDriver } from "../machine/modules.ts";
import { networkOf } from "../machine/network.ts";
import { talosState } from "../state.ts";
import { releaseOf } from "../versions.ts";
import { type Process, processesOf } from "./processes.ts";

/** A file, a folder or a link of a node. */
export interface Entry {
  path: string;
  /** Of a file. */
  text?: string;
  /** Of a link. */
  link?: string;
  modified: number;
}

/** What Talos's image has below `/`, as far as somebody may look for it. */
const FOLDERS =
  "/boot /dev /etc /etc/cni /etc/kubernetes /etc/ssl /opt /proc /root /run /run/containerd /sys /sys/fs /sys/fs/cgroup /system /system/state /tmp /usr /usr/bin /usr/lib /usr/local /usr/share /var /var/lib /var/lib/containerd /var/lib/kubelet /var/log /var/log/audit".split(
    " ",
  );
const LINKS = { "/bin": "usr/bin", "/lib": "usr/lib", "/sbin": "usr/bin" };

/** Everything there is, in the order of a walk: each folder before what is in it. */
export function entriesOf(called: Called): Entry[] {
  const modified = called.lab.timeOfDay(called.boot.since);
  const files = filesOf(called);
  const parents = Object.keys(files).flatMap((path) => parentsOf(path));
  const folders = [...new Set(["/", ...FOLDERS, ...parents])].map((path) => ({ path, modified }));
  const links = Object.entries(LINKS).map(([path, link]) => ({ path, link, modified }));
  const texts = Object.entries(files).map(([path, text]) => ({ path, text, modified }));
  const key = ({ path }: Entry) => path.replaceAll("/", "\u0000");
  return [...folders, ...links, ...texts].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function parentsOf(path: string): string[] {
  const names = path.split("/").slice(1, -1);
  return names.map((_, index) => `/${names.slice(0, index + 1).join("/")}`);
}

/** The few files of a node that somebody reads. */
function filesOf(called: Called): Record<string, string> {
  const { lab, machine, boot } = called;
  const data = boot.disk === undefined ? undefined : talosState(lab).disks[boot.disk]?.etcd;
  const processes = processesOf(called);
  return {
    // On the partition EPHEMERAL: there as soon as the node has booted, whether or not etcd runs already.
    ...(data !== undefined && { "/var/lib/etcd/member/snap/db": "" }),
    "/proc/sys/kernel/random/boot_id": `${boot.id}\n`,
    "/proc/version": `Linux version ${releaseOf(boot.system.version).kernel}\n`,
    "/proc/bus/pci/devices": (machine.hardware.pci ?? [])
      .map(({ vendor, device }, n) => `${(n * 8).toString(16).padStart(4, "0")}\t${vendor}${device}\t0\n`)
      .join(""),
    "/proc/pressure/io": PRESSURE,
    "/etc/hostname": `${networkOf(machine).hostname}\n`,
    "/etc/os-release": `NAME="Talos"\nID=talos\nVERSION_ID=${boot.system.version}\nPRETTY_NAME="Talos (${boot.system.version})"\n`,
    "/etc/resolv.conf": "nameserver 127.0.0.53\n",
    "/proc/modules": loadedModules(lab, machine, boot)
      .map(({ name, needs }) => `${name} 24576 0 ${needs.length === 0 ? "-" : `${needs.join(",")},`} Live 0x0000000000000000\n`)
      .join(""),
    ...nvidiaFiles(nvidiaDriver(lab, machine, boot)),
    "/proc/cpuinfo": Array.from({ length: machine.hardware.cores }, (_, n) => `processor\t: ${n}\n`).join(""),
    ...cgroupFiles(processes),
  };
}

const PRESSURE = "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";

/** There once the driver has found a card. */
function nvidiaFiles(branch: string | undefined): Record<string, string> {
  if (branch === undefined) return {};
  const version = branch === "lts" ? "580.126.20" : "570.211.01";
  return { "/proc/driver/nvidia/version": `NVRM version: NVIDIA UNIX x86_64 Kernel Module  ${version}  Release Build\n` };
}

/** Which processes share a cgroup, and what they use together. */
function cgroupFiles(processes: readonly Process[]): Record<string, string> {
  const groups = new Map<string, Process[]>();
  for (const program of processes) groups.set(cgroupOf(program), [...(groups.get(cgroupOf(program)) ?? []), program]);
  return Object.fromEntries(
    [...groups].flatMap(([group, members]) => {
      const used = members.reduce((sum, { residentBytes }) => sum + residentBytes, 0);
      const spent = Math.round(members.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0) * 1e6);
      const texts = {
        "cgroup.procs": members.map(({ pid }) => `${pid}\n`).join(""),
        "cpu.stat": `usage_usec ${spent}\nuser_usec ${Math.round(spent * 0.7)}\nsystem_usec ${Math.round(spent * 0.3)}\n`,
        "cpu.max": "max 100000\n",
        "cpu.weight": "100\n",
        "memory.current": `${used}\n`,
        "memory.max": "max\n",
        "memory.min": "0\n",
        "memory.low": "0\n",
        "memory.high": "max\n",
        "memory.peak": `${used}\n`,
        "pids.current": `${members.reduce((sum, { threads }) => sum + threads, 0)}\n`,
        "pids.max": "max\n",
      };
      return Object.entries(texts).map(([name, text]) => [`/sys/fs/cgroup/${group}/${name}`, text]);
    }),
  );
}

function cgroupOf({ pid, command, container }: Process): string {
  if (container?.home === "k8s.io") return `kubepods/burstable/pod${container.pod.replaceAll("/", "_")}/${container.internalId}`;
  if (container) return container.home === "system" ? `system/${container.id}` : `podruntime/${container.id}`;
  return pid === 1 ? "init" : `system/${command}`;
}

import type { Process } from "./processes.ts";

export const PRESSURE = "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";

/** The files of control groups below /sys/fs/cgroup: a group lists its own processes, and its counters include those below it. */
export function cgroupFiles(processes: readonly Process[], cores: number): Record<string, string> {
  const uids = new Map(processes.flatMap(({ container }) => (container?.uid ? [[container.pod, container.uid] as const] : [])));
  const homes = processes.map((program) => ({ program, group: groupOf(program, uids) }));
  const groups = [...new Set(homes.flatMap(({ group }) => ancestorsOf(group)))];
  return Object.fromEntries(
    groups.flatMap((group) => {
      const own = homes.filter((one) => one.group === group).map(({ program }) => program);
      const all = homes.filter((one) => ancestorsOf(one.group).includes(group)).map(({ program }) => program);
      const texts = { ...rootFiles(own, all, cores), ...(group !== "" && limits(all)) };
      return Object.entries(texts).map(([name, text]) => [`/sys/fs/cgroup/${group === "" ? "" : `${group}/`}${name}`, text]);
    }),
  );
}

/** A group and its parents: "", "kubepods", "kubepods/burstable" for "kubepods/burstable"; the first is the root. */
function ancestorsOf(group: string): string[] {
  const names = group.split("/");
  return ["", ...names.map((_, index) => names.slice(0, index + 1).join("/"))];
}

/** The control group of a process: Talos has groups for its services, and the kubelet for pods. */
function groupOf({ pid, command, args, container }: Process, uids: ReadonlyMap<string, string>): string {
  if (container?.home === "k8s.io") return `kubepods/burstable/pod${uids.get(container.pod) ?? ""}/${container.internalId}`;
  if (container) return container.home === "system" ? `system/${container.id}` : `podruntime/${container.id}`;
  if (pid === 1) return "init";
  if (command.startsWith("containerd")) return isForPods(args) ? "podruntime/runtime" : "system/runtime";
  return `system/${args.includes("udevd") ? "udevd" : (args.split("/").at(-1) ?? command)}`;
}

const isForPods = (args: string) => args.includes("/etc/cri/") || args.includes("-namespace k8s.io");

/** The files of the root: it has no limits, and no files that depend on them. */
function rootFiles(own: readonly Process[], all: readonly Process[], cores: number): Record<string, string> {
  const spent = Math.round(sum(all, ({ cpuSeconds }) => cpuSeconds) * 1e6);
  const threads = own.flatMap(({ pid, threads: count }) => Array.from({ length: count }, (_, n) => pid + n));
  return {
    "cgroup.procs": lines(own.map(({ pid }) => pid)),
    "cgroup.threads": lines(threads),
    "cpu.pressure": PRESSURE,
    "cpu.stat": `usage_usec ${spent}\nuser_usec ${Math.round(spent * 0.7)}\nsystem_usec ${Math.round(spent * 0.3)}\n`,
    "cpuset.cpus.effective": cores > 1 ? `0-${cores - 1}\n` : "0\n",
    "cpuset.mems.effective": "0\n",
    "io.pressure": PRESSURE,
    "io.stat": "",
    "memory.pressure": PRESSURE,
  };
}

function limits(all: readonly Process[]): Record<string, string> {
  const used = `${sum(all, ({ residentBytes }) => residentBytes)}\n`;
  const threads = `${sum(all, (one) => one.threads)}\n`;
  const { "cpu.stat": cpu } = rootFiles([], all, 1);
  return {
    "cpu.stat": `${cpu}nr_periods 0\nnr_throttled 0\nthrottled_usec 0\n`,
    "cpu.max": "max 100000\n",
    "cpu.weight": "100\n",
    "cpu.weight.nice": "0\n",
    "cpuset.cpus": "\n",
    "cpuset.mems": "\n",
    "memory.current": used,
    "memory.peak": used,
    "memory.min": "0\n",
    "memory.low": "0\n",
    "memory.high": "max\n",
    "memory.max": "max\n",
    "memory.swap.current": "0\n",
    "memory.swap.peak": "0\n",
    "memory.swap.high": "max\n",
    "memory.swap.max": "max\n",
    "memory.zswap.current": "0\n",
    "memory.zswap.max": "max\n",
    "memory.zswap.writeback": "1\n",
    "pids.current": threads,
    "pids.peak": threads,
    "pids.max": "max\n",
  };
}

const lines = (numbers: readonly number[]) => numbers.map((number) => `${number}\n`).join("");

function sum(programs: readonly Process[], of: (program: Process) => number): number {
  return programs.reduce((total, program) => total + of(program), 0);
}

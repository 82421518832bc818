import type { Called } from "../api/caller.ts";
import { isRunning } from "../machine/services.ts";
import type { ServiceName } from "../state.ts";
import { type Container, containersOf } from "./containers.ts";

/** A running program of a node. */
export interface Process {
  pid: number;
  parent: number;
  command: string;
  executable: string;
  args: string;
  threads: number;
  residentBytes: number;
  /** CPU time since the boot in seconds. */
  cpuSeconds: number;
  container?: Container;
}

const MiB = 1024 ** 2;

/** Known programs: executable, arguments, threads and memory. */
const PROGRAMS: Record<string, readonly [executable: string, args: string, threads: number, memory: number]> = {
  machined: ["/usr/bin/init", "/sbin/init", 14, 96],
  udevd: ["/usr/bin/systemd-udevd", "/sbin/systemd-udevd --resolve-names=never", 1, 8],
  containerd: [
    "/usr/bin/containerd",
    "/bin/containerd --address /system/run/containerd/containerd.sock --state /system/run/containerd --root /system/var/lib/containerd",
    10,
    48,
  ],
  cri: [
    "/usr/bin/containerd",
    "/bin/containerd --address /run/containerd/containerd.sock --config /etc/cri/containerd.toml",
    14,
    72,
  ],
  apid: ["/apid", "/apid", 11, 32],
  trustd: ["/trustd", "/trustd", 9, 24],
  dashboard: ["/usr/bin/init", "/sbin/dashboard", 9, 24],
  etcd: ["/usr/local/bin/etcd", "/usr/local/bin/etcd", 12, 110],
  kubelet: ["/usr/local/bin/kubelet", "/usr/local/bin/kubelet --config=/etc/kubernetes/kubelet.yaml", 15, 96],
  "kube-apiserver": ["/usr/local/bin/kube-apiserver", "/usr/local/bin/kube-apiserver", 16, 380],
  "kube-controller-manager": ["/usr/local/bin/kube-controller-manager", "/usr/local/bin/kube-controller-manager", 11, 110],
  pause: ["/pause", "/pause", 1, 1],
  "containerd-shim": ["/usr/bin/containerd-shim-runc-v2", "/usr/bin/containerd-shim-runc-v2", 11, 14],
  "kube-scheduler": ["/usr/local/bin/kube-scheduler", "/usr/local/bin/kube-scheduler", 11, 64],
};

/** Services that run as programs of the machine, not as containers. */
const ON_THE_HOST: readonly ServiceName[] = ["udevd", "containerd", "cri", "dashboard"];

/** All processes by their ids; machined is the first. */
export function processesOf(called: Called): Process[] {
  const { boot } = called;
  const services = ON_THE_HOST.filter((id) => isRunning(boot, id)).map((id) => start(called, id, id, 1));
  const containers = containersOf(called).filter(({ running }) => running);
  // A pod's sandbox comes first, and its id is the shim's.
  const shims = new Map(containers.toReversed().map((container) => [container.pod, shim(called, container)]));
  const contained = containers.map((container) => {
    const program = container.sandbox ? "pause" : container.name;
    const parent = shims.get(container.pod)?.pid ?? 1;
    return { ...start(called, `${container.home} ${container.internalId}`, program, parent), container };
  });
  const machined = { ...start(called, "machined", "machined", 0), pid: 1 };
  return [machined, ...services, ...shims.values(), ...contained].sort((a, b) => a.pid - b.pid);
}

function shim(called: Called, { pod, home, internalId }: Container): Process {
  const program = start(called, `shim ${pod}`, "containerd-shim", 1);
  const namespace = home === "k8s.io" ? home : "system";
  const socket = home === "system" ? "/system/run/containerd/containerd.sock" : "/run/containerd/containerd.sock";
  return { ...program, args: `${program.args} -namespace ${namespace} -id ${internalId} -address ${socket}` };
}

/** A program keeps its id as long as the machine runs. */
function start({ lab, boot }: Called, key: string, program: string, parent: number): Process {
  const [executable, args, threads, memory] = PROGRAMS[program] ?? [`/${program}`, `/${program}`, 8, 40];
  const age = Math.max(0, lab.now() - boot.since) / 1000;
  return {
    pid: 300 + Math.floor(lab.chance("talos pid", boot.id, key) * 32_000),
    parent,
    // The kernel truncates program names to this length.
    command: (executable.split("/").at(-1) ?? program).slice(0, 15),
    executable,
    args,
    threads,
    residentBytes: memory * MiB,
    cpuSeconds: (age * threads) / 400,
  };
}

import { once } from "node:events";
import { existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { addTap, GATEWAY, spawnIn } from "../talos-node/network.js";
import { undoLater } from "../talos-node/undo.js";

/** Kubernetes's control plane takes half of it; what the guest does not use is not taken from this machine. */
const MEMORY_MB = 4096;
/** With --kill-child nothing of the guest outlives its kernel, which has a process of this machine for each of its own. */
const NAMESPACES = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];

/** Switches a machine on: `{ name, address, mac }` in this network, with this kernel and this disk. `cutPower` switches it off and on again. */
export function startGuest(network, node, { linux, disk, folder }) {
  mkdirSync(folder, { recursive: true });
  addTap(network, node);
  const log = join(folder, "console.log");
  const console = openSync(log, "w");
  const start = () => spawnIn(network, command(node, linux, disk, folder), { stdio: ["ignore", console, console] });
  let child = start();
  undoLater(() => child.kill("SIGKILL"));
  const cutPower = async () => {
    const ended = once(child, "close");
    // The first process of its namespace ends only when all others have, and with them the lock on the disk.
    process.kill(Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8")), "SIGKILL");
    await ended;
    child = start();
  };
  return { ...node, log, cutPower };
}

/**
 * Kernel and guest program take turns at every system call: on one processor that takes a fraction of the time, without which Kubernetes kills its own
 * parts for starting too slowly. Its memory is a file that is executed from, so it gets a file system for it.
 */
function command({ name, address, mac }, linux, disk, folder) {
  const quick = ["taskset", "--cpu-list", lastProcessor()];
  const memory = 'mount -t tmpfs -o size="$1M" tmpfs "$0" && shift && exec env -i TMPDIR="$0" HOME="$0" PATH="$PATH" "$@"';
  const kernel = [
    ...[linux, `mem=${MEMORY_MB}M`, `umid=${name}`, `ubd0=${disk}`, "root=/dev/ubda", "rw", "init=/guest/init"],
    // No write waits for this machine's disk: nothing has to survive it.
    "rootflags=barrier=0",
    ...["cgroup_no_v1=all", "con0=null,fd:1", "con=null", "ssl=null"],
    ...[`vec0:transport=tap,ifname=${name},mac=${mac},depth=128,gro=1`, `ADDRESS=${address}`, `GATEWAY=${GATEWAY}`],
  ];
  return [...quick, "unshare", ...NAMESPACES, "sh", "-c", memory, folder, String(MEMORY_MB + 256), ...kernel];
}

const lastProcessor = () => /^Cpus_allowed_list:.*?(\d+)$/m.exec(readFileSync("/proc/self/status", "utf8"))[1];

/** Why no guest can run on this machine, or undefined. */
export function whyNoGuest() {
  if (process.platform !== "linux") return "it needs Linux";
  if (process.getuid() !== 0) return "it needs root, for namespaces";
  if (!existsSync("/dev/net/tun")) return "there is no /dev/net/tun for the guest's network card";
  return undefined;
}

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isLeftOver, joinNetwork, nameOf, spawnIn } from "./network.js";
import { undoLater } from "./undo.js";

const SCRIPT = join(import.meta.dirname, "node.sh");
const NAMESPACES = ["--mount", "--pid", "--fork", "--kill-child", "--uts", "--ipc", "--cgroup"];
const ENDS_WITHIN_MS = 10_000;

/** Switches a node on: `{ name, address, mac }` in this network, with the root file system of build.js and a folder of its own. */
export function startNode(network, node, root, folder) {
  mkdirSync(folder, { recursive: true });
  const namespace = joinNetwork(network, node);
  const group = join(controlGroups(), nameOf(node.name));
  mkdirSync(group);
  undoLater(() => endGroup(group));
  const log = join(folder, "console.log");
  const console = openSync(log, "w");
  const enter = 'echo $$ > "$0/cgroup.procs" && exec "$@"';
  const command = ["sh", "-c", enter, group, "unshare", ...NAMESPACES, "sh", SCRIPT, root, folder];
  const child = spawnIn(namespace, command, { stdio: ["ignore", console, console] });
  return { ...node, child, log, state: join(folder, "kept/system/state") };
}

/** Where control groups of version 2 are mounted; Talos and runc need them, without controllers. */
function controlGroups() {
  const mounts = readFileSync("/proc/self/mounts", "utf8").split("\n");
  return mounts.map((line) => line.split(" ")).find(([, , type]) => type === "cgroup2")?.[1];
}

/** Kills every process of a group and removes it. */
function endGroup(group) {
  writeFileSync(join(group, "cgroup.kill"), "1");
  const end = performance.now() + ENDS_WITHIN_MS;
  while (/populated 1/.test(readFileSync(join(group, "cgroup.events"), "utf8"))) {
    if (performance.now() > end) throw new Error(`processes of ${group} do not end`);
    execFileSync("sleep", ["0.05"]);
  }
  removeGroup(group);
}

function removeGroup(group) {
  for (const entry of readdirSync(group, { withFileTypes: true })) if (entry.isDirectory()) removeGroup(join(group, entry.name));
  rmdirSync(group);
}

/** Removes groups of runs that were killed. */
export function sweepGroups() {
  for (const name of readdirSync(controlGroups()).filter(isLeftOver)) endGroup(join(controlGroups(), name));
}

/** Why no node can run on this machine, or undefined. */
export function whyNoNode() {
  if (process.platform !== "linux") return "it needs Linux";
  if (process.getuid() !== 0) return "it needs root, for namespaces and mounts";
  if (controlGroups() === undefined) return "no cgroup2 is mounted";
  if (!existsSync(join(controlGroups(), "cgroup.procs"))) return "cgroup2 cannot be read";
  return undefined;
}

import { execFileSync, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { undoLater } from "./undo.js";

/** Names of network namespaces and control groups of this process; those inside a namespace cannot meet others. */
const PREFIX = "talosmith-conformance-";
export const nameOf = (what) => `${PREFIX}${process.pid}-${what}`;

export const GATEWAY = "10.10.0.1";
/** More addresses of the gateway, outside the nodes' network: what runs there comes from the first, the second is in no rule of the firewall. */
const ADMINISTRATOR = "10.99.0.1";
export const OUTSIDER = "10.98.0.1";

const ip = (...args) => execFileSync("ip", args, { stdio: "pipe" });

/** A network namespace that is a network: a bridge with an address. What runs in it reaches the nodes, and nothing else. */
export function makeNetwork() {
  const name = addNamespace("network");
  ip("-n", name, "link", "add", "lan", "type", "bridge");
  for (const address of [GATEWAY, ADMINISTRATOR, OUTSIDER]) ip("-n", name, "address", "add", `${address}/24`, "dev", "lan");
  ip("-n", name, "link", "set", "lan", "up");
  ip("-n", name, "route", "replace", "10.10.0.0/24", "dev", "lan", "src", ADMINISTRATOR);
  return name;
}

/** A namespace with one card in that network, which has its address as if a DHCP server had given it. */
export function joinNetwork(network, { name, address, mac }) {
  const own = addNamespace(name);
  ip("-n", network, "link", "add", name, "type", "veth", "peer", "name", "eth0", "address", mac, "netns", own);
  ip("-n", network, "link", "set", name, "master", "lan", "up");
  ip("-n", own, "link", "set", "eth0", "up");
  ip("-n", own, "address", "add", `${address}/24`, "dev", "eth0");
  ip("-n", own, "route", "add", "default", "via", GATEWAY);
  return own;
}

/** A card for a guest in that network: what the guest sends comes out of it. */
export function addTap(network, { name }) {
  ip("-n", network, "tuntap", "add", name, "mode", "tap");
  ip("-n", network, "link", "set", name, "master", "lan", "up");
}

/** Starts a program inside a namespace. It does not outlive this process, however that ends. */
export function spawnIn(namespace, command, options) {
  return spawn("setpriv", ["--pdeathsig", "KILL", "nsenter", `--net=/run/netns/${namespace}`, ...command], options);
}

function addNamespace(what) {
  const name = nameOf(what);
  ip("netns", "add", name);
  undoLater(() => ip("netns", "delete", name));
  ip("-n", name, "link", "set", "lo", "up");
  return name;
}

/** Removes namespaces of runs that were killed. */
export function sweepNamespaces() {
  for (const name of readdirSync("/run/netns").filter(isLeftOver)) ip("netns", "delete", name);
}

/** Whether the process that has made something of this name is gone. */
export function isLeftOver(name) {
  const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? [];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch {
    return true;
  }
}

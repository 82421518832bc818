import { createHash } from "node:crypto";
import ipaddr from "ipaddr.js";
import { parsePropertyString } from "../parameters/property-string.ts";
import { died } from "../refusal.ts";
import type { Resolver, Vm } from "../state.ts";
import { isCloudInitKey } from "./config.ts";
import { drivesOf } from "./disks.ts";
import { isCloudInit, isDriveKey, parseDrive } from "./drive.ts";
import { isNicKey, parseNic } from "./nic.ts";
import { IPCONFIG } from "./option-formats.ts";

/** A machine has at most one cloud-init drive. */
export function requireOneCloudInit(config: Readonly<Record<string, string>>, asked: Readonly<Record<string, string>>): void {
  let attached = cloudInitKey(config);
  for (const key of Object.keys(asked).filter(isDriveKey).sort()) {
    if (!isCloudInit(parseDrive(key, asked[key] as string))) continue;
    if (attached !== undefined && attached !== key) throw died(`${key} - cloud-init drive is already attached at '${attached}'`);
    attached = key;
  }
}

function cloudInitKey(config: Readonly<Record<string, string>>): string | undefined {
  return Object.keys(config).find((key) => isDriveKey(key) && isCloudInit(parseDrive(key, config[key] as string)));
}

/** Writes the current config to the drive: at every start, on request, and when the drive is attached. */
export function generateCloudInit(vm: Vm): void {
  if (!drivesOf(vm.config).some(({ drive }) => isCloudInit(drive))) {
    delete vm.cloudInit;
    return;
  }
  vm.cloudInit = Object.fromEntries(Object.entries(vm.config).filter(([key]) => isCloudInitKey(key)));
}

/** Writes the drive after a change: at once when it was just attached, or when its hotplug feature is enabled. */
export function writeCloudInit(vm: Vm, changed: readonly string[]): void {
  const attached = changed.some((key) => isDriveKey(key) && vm.config[key] !== undefined && cloudInitKey(vm.config) === key);
  const watched = vm.power !== undefined && /cloudinit/.test(vm.config.hotplug ?? "");
  if (attached || watched || cloudInitKey(vm.config) === undefined) generateCloudInit(vm);
}

/** GET …/cloudinit/dump */
export function cloudInitFile(vm: Vm, resolver: Resolver, type: string, masked: boolean): string {
  if (type === "user") return userData(vm, masked);
  const network = networkConfig(vm, resolver);
  if (type === "network") return network;
  // The real password determines the instance id, even when it is masked for the reader.
  return `instance-id: ${createHash("sha1")
    .update(userData(vm, false) + network)
    .digest("hex")}\n`;
}

function userData({ vmid, config }: Vm, masked: boolean): string {
  const name = config.name ?? `VM${vmid}`;
  const [host = ""] = name.split(".");
  const full = name.includes(".") || config.searchdomain === undefined ? name : `${name}.${config.searchdomain}`;
  const keys = decodeURIComponent(config.sshkeys ?? "").split("\n");
  const lines = [
    "#cloud-config",
    `hostname: ${host}`,
    "manage_etc_hosts: true",
    `fqdn: ${full}`,
    ...(config.ciuser === undefined ? [] : [`user: ${config.ciuser}`]),
    ...(config.ciuser === "root" ? ["disable_root: False"] : []),
    ...(config.cipassword === undefined ? [] : [`password: ${masked ? "**********" : config.cipassword}`]),
    ...(config.sshkeys === undefined
      ? []
      : ["ssh_authorized_keys:", ...keys.filter((key) => key.trim() !== "").map((key) => `  - ${key}`)]),
    "chpasswd:",
    "  expire: False",
    ...(config.ciuser === "root" ? [] : ["users:", "  - default"]),
    ...(config.ciupgrade === "0" ? [] : ["package_upgrade: true"]),
  ];
  return `${lines.join("\n")}\n`;
}

/** Version 1, as for nocloud: each card with an ipconfig, then the name servers. */
function networkConfig({ config }: Vm, resolver: Resolver): string {
  const lines = ["version: 1", "config:"];
  for (const key of Object.keys(config).filter(isNicKey).sort()) {
    const number = key.slice(3);
    const text = config[`ipconfig${number}`];
    if (text === undefined) continue;
    const { ip, gw, ip6, gw6 } = parsePropertyString(IPCONFIG, text, `ipconfig${number}`);
    const mac = parseNic(key, config[key] as string).macaddr?.toLowerCase();
    lines.push("    - type: physical", `      name: eth${number}`, `      mac_address: '${mac}'`, "      subnets:");
    if (ip === "dhcp") lines.push("      - type: dhcp4");
    else if (ip !== undefined) lines.push("      - type: static", ...address4(ip), ...gateway(gw));
    if (ip6 === "dhcp") lines.push("      - type: dhcp6");
    else if (ip6 === "auto") lines.push("      - type: ipv6_slaac");
    else if (ip6 !== undefined) lines.push("      - type: static6", `        address: '${ip6}'`, ...gateway(gw6));
  }
  lines.push("    - type: nameserver");
  const { servers, domains } = namesFor(config, resolver);
  if (servers.length > 0) lines.push("      address:", ...servers.map((server) => `      - '${server}'`));
  if (domains.length > 0) lines.push("      search:", ...domains.map((domain) => `      - '${domain}'`));
  return `${lines.join("\n")}\n`;
}

/** The machine's name servers and domains; the host's by default. */
export function namesFor(config: Readonly<Record<string, string>>, resolver: Resolver): { servers: string[]; domains: string[] } {
  const words = (text: string) => text.split(/\s+/).filter((word) => word !== "");
  return {
    servers: config.nameserver === undefined ? resolver.servers.slice(0, 3) : words(config.nameserver),
    domains: words(config.searchdomain ?? resolver.search ?? ""),
  };
}

function address4(cidr: string): string[] {
  const [address = "", bits = "32"] = cidr.split("/");
  return [
    `        address: '${address}'`,
    `        netmask: '${ipaddr.IPv4.subnetMaskFromPrefixLength(Number(bits)).toString()}'`,
  ];
}

function gateway(address: string | undefined): string[] {
  return address === undefined ? [] : [`        gateway: '${address}'`];
}

import { createHash } from "node:crypto";
import type { Json } from "@talosmith/lib/json.ts";
import { died } from "../refusal.ts";
import type { ProxmoxState, Vm } from "../state.ts";
import { asRead, CLOUD_INIT_KEYS } from "./options.ts";

/** The machine with this id on a host; its config is visible only through that host (docs/facts/proxmox.md#status-codes). */
export function vmOn(state: ProxmoxState, node: string, vmid: number): Vm {
  const vm = state.vms[vmid];
  if (vm?.node !== node) throw died(`Configuration file 'nodes/${node}/qemu-server/${vmid}.conf' does not exist`);
  return vm;
}

/** Whether the machine is running. A missing config has another message here than when the config is read. */
export function isRunning(state: ProxmoxState, node: string, vmid: number): boolean {
  const vm = state.vms[vmid];
  if (vm?.node !== node) throw died(`unable to find configuration file for VM ${vmid} on node '${node}'`);
  return vm.power !== undefined;
}

export function requireUnlocked(vm: Vm): void {
  if (vm.config.lock !== undefined) throw died(`VM is locked (${vm.config.lock})`);
}

export function requireUnprotected(vm: Vm, what: string): void {
  if (vm.config.protection === "1") throw died(`${what} - protection mode enabled`);
}

export function isTemplate(vm: Vm): boolean {
  return vm.config.template === "1";
}

/** MiB */
export function memoryOf(config: Readonly<Record<string, string>>): number {
  return Number((config.memory ?? "512").replace(/^current=/, "").split(",")[0]);
}

export function cpusOf(config: Readonly<Record<string, string>>): number {
  return Number(config.vcpus ?? Number(config.sockets ?? 1) * Number(config.cores ?? 1));
}

export function nameOf(vm: Vm): string {
  return vm.config.name ?? `VM ${vm.vmid}`;
}

/** The file in /etc/pve: the description as comments, sorted keys, pending changes at the end. */
export function renderConfig(vm: Vm): string {
  const { description, ...options } = vm.config;
  const lines = description === undefined ? [] : description.split("\n").map((line) => `#${escapeComment(line)}`);
  lines.push(...section(options));
  const deletions = Object.keys(vm.pendingDelete).sort();
  if (deletions.length > 0 || Object.keys(vm.pending).length > 0) {
    lines.push("", "[PENDING]");
    const marked = deletions.map((key) => (vm.pendingDelete[key]?.force ? `!${key}` : key)).join(",");
    lines.push(...section({ ...vm.pending, ...(marked !== "" && { delete: marked }) }));
  }
  const unwritten = cloudInitSection(vm);
  if (Object.keys(unwritten).length > 0) lines.push("", "[special:cloudinit]", ...section(unwritten));
  for (const [name, snapshot] of Object.entries(vm.snapshots ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { config, description, time, vmstate, parent } = snapshot;
    lines.push("", `[${name}]`);
    if (description !== undefined) lines.push(...description.split("\n").map((line) => `#${escapeComment(line)}`));
    lines.push(
      ...section({ ...config, ...(parent !== undefined && { parent }), ...(vmstate && { vmstate }), snaptime: String(time) }),
    );
  }
  return `${lines.join("\n")}\n`;
}

/** The differences between a running machine's cloud-init drive and its config: old values, and the names of new ones. */
export function cloudInitSection({ config, power, cloudInit }: Vm): Record<string, string> {
  if (!power || !cloudInit) return {};
  const keys = [...new Set([...Object.keys(cloudInit), ...Object.keys(config).filter(isCloudInitKey)])];
  const differing = keys.filter((key) => cloudInit[key] !== config[key]);
  const added = differing.filter((key) => cloudInit[key] === undefined).sort();
  const old = differing.flatMap((key) => (cloudInit[key] === undefined ? [] : [[key, cloudInit[key]]]));
  return { ...Object.fromEntries(old), ...(added.length > 0 && { added: added.join(",") }) };
}

/** Whether the drive's content depends on this key. It also depends on the networks. */
export function isCloudInitKey(key: string): boolean {
  return CLOUD_INIT_KEYS.test(key) || key === "name";
}

function section(options: Readonly<Record<string, string>>): string[] {
  return Object.keys(options)
    .sort()
    .map((key) => `${key}: ${options[key]}`);
}

function escapeComment(line: string): string {
  return line.replace(/[^\x20-\x24\x26-\x7e]/g, (char) => encodeURIComponent(char));
}

export function digestOf(vm: Vm): string {
  return createHash("sha1").update(renderConfig(vm)).digest("hex");
}

export function requireDigest(vm: Vm, digest: string | undefined, prefix = ""): void {
  if (digest !== undefined && digest !== digestOf(vm)) throw died(`${prefix}checksum mismatch (file change by other user?)`);
}

const MASK = "**********";

/** A value as users see it: passwords are masked. */
export function shownValue(key: string, value: string): string | number {
  return key === "cipassword" ? MASK : asRead(key, value);
}

/** The config with pending changes, or the current one. */
export function readConfig(vm: Vm, current: boolean): Record<string, Json> {
  return { ...readConfigOf(current ? vm.config : withPending(vm)), digest: digestOf(vm) };
}

export function readConfigOf(config: Readonly<Record<string, string>>): Record<string, Json> {
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [key, shownValue(key, value)]));
}

export function withPending(vm: Vm): Record<string, string> {
  const values = { ...vm.config, ...vm.pending };
  for (const key of Object.keys(vm.pendingDelete)) delete values[key];
  return values;
}

/** Every key; those with `pending` or `delete` change at the next power cycle. */
export function readPending(vm: Vm): Json[] {
  const entries: Json[] = [{ key: "digest", value: digestOf(vm) }];
  for (const key of new Set([...Object.keys(vm.config), ...Object.keys(vm.pending)])) {
    const value = vm.config[key];
    const pending = vm.pending[key];
    const deletion = vm.pendingDelete[key];
    entries.push({
      key,
      ...(value !== undefined && { value: shownValue(key, value) }),
      ...(pending !== undefined && { pending: shownValue(key, pending) }),
      ...(deletion && { delete: deletion.force ? 2 : 1 }),
    });
  }
  return entries;
}

import { createHash } from "node:crypto";
import type { Json } from "../../../lib/json.ts";
import { died } from "../refusal.ts";
import type { ProxmoxState, Vm } from "../state.ts";
import { asRead } from "./options.ts";

/** A machine's config lies on the host that owns it and is seen from there alone (proxmox.md 1.5). */
export function vmOn(state: ProxmoxState, node: string, vmid: number): Vm {
  const vm = state.vms[vmid];
  if (vm?.node !== node) throw died(`Configuration file 'nodes/${node}/qemu-server/${vmid}.conf' does not exist`);
  return vm;
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

/** The file, as it would lie in /etc/pve: description as comments, sorted keys, what is pending below. */
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
  return `${lines.join("\n")}\n`;
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

export function requireDigest(vm: Vm, digest: string | undefined): void {
  if (digest !== undefined && digest !== digestOf(vm)) throw died("checksum mismatch (file change by other user?)");
}

const MASK = "**********";

function shown(key: string, value: string): string | number {
  return key === "cipassword" ? MASK : asRead(key, value);
}

/** With what is pending already in it; or as it is now. */
export function readConfig(vm: Vm, current: boolean): Record<string, Json> {
  const values = current ? vm.config : withPending(vm);
  const shownValues = Object.entries(values).map(([key, value]) => [key, shown(key, value)]);
  return { ...Object.fromEntries(shownValues), digest: digestOf(vm) };
}

export function withPending(vm: Vm): Record<string, string> {
  const values = { ...vm.config, ...vm.pending };
  for (const key of Object.keys(vm.pendingDelete)) delete values[key];
  return values;
}

/** Every key; those with `pending` or `delete` wait for a power cycle. */
export function readPending(vm: Vm): Json[] {
  const entries: Json[] = [{ key: "digest", value: digestOf(vm) }];
  for (const key of new Set([...Object.keys(vm.config), ...Object.keys(vm.pending)])) {
    const value = vm.config[key];
    const pending = vm.pending[key];
    const deletion = vm.pendingDelete[key];
    entries.push({
      key,
      ...(value !== undefined && { value: shown(key, value) }),
      ...(pending !== undefined && { pending: shown(key, pending) }),
      ...(deletion && { delete: deletion.force ? 2 : 1 }),
    });
  }
  return entries;
}

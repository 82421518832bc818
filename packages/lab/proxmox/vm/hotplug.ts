import { parsePropertyString } from "../parameters/property-string.ts";
import { splitList } from "../parameters/schema.ts";
import { badParameters } from "../refusal.ts";
import type { ProxmoxState, Vm } from "../state.ts";
import { bootDisks } from "./boot-order.ts";
import { type Drive, isCdrom, isDriveKey, parseDrive } from "./drive.ts";
import { isNicKey, parseNic } from "./nic.ts";
import { AGENT } from "./option-formats.ts";
import { CLOUD_INIT_KEYS } from "./options.ts";
import { applyDeletion, applyValue } from "./pending.ts";

/** Options that do not affect the running machine, or only its cgroup: applied at once (docs/facts/proxmox.md#pending-changes). */
const AT_ONCE = new Set([
  "cpulimit",
  "cpuunits",
  "description",
  "hookscript",
  "lock",
  "migrate_downtime",
  "migrate_speed",
  "name",
  "onboot",
  "protection",
  "shares",
  "startup",
  "tags",
  "vmstatestorage",
]);
/** A disk in use cannot change these settings. */
const FIXED_DISK_FLAGS = ["aio", "cache", "discard", "iothread", "product", "queues", "ro", "ssd", "vendor"];
const FIXED_NIC_PARTS = ["model", "macaddr", "queues", "mtu"];

/** Applies to a running machine those changes that it can take; the rest stays pending until a power cycle. */
export function hotplug(state: ProxmoxState, vm: Vm, changed: ReadonlySet<string>): void {
  const features = featuresOf(vm.config.hotplug);
  for (const key of Object.keys(vm.pending)) if (AT_ONCE.has(key) || CLOUD_INIT_KEYS.test(key)) applyValue(state, vm, key);
  const errors: Record<string, string> = {};
  const bootedFrom = bootDisks(vm.config);
  const refuse = (key: string, why: string) => {
    errors[key] = `hotplug problem - ${why}\n`;
  };
  for (const key of Object.keys(vm.pendingDelete).sort()) {
    if (!changed.has(key) || !canUnplug(vm, key, features)) continue;
    if (bootedFrom.includes(key)) refuse(key, `can't unplug bootdisk '${key}'`);
    else applyDeletion(state, vm, key);
  }
  for (const key of Object.keys(vm.pending).sort()) {
    if (!changed.has(key)) continue;
    if (changesMedia(vm, key)) refuse(key, "unable to change media type");
    else if (features.has("disk") && replacesDisk(vm, key) && bootedFrom.includes(key))
      refuse(key, `can't unplug bootdisk '${key}'`);
    else if (features.has("disk") && replacesDisk(vm, key) && !isPluggable(key)) refuse(key, `can't unplug device '${key}'`);
    else if (canPlug(vm, key, features)) applyValue(state, vm, key);
  }
  if (Object.keys(errors).length > 0) throw badParameters(errors);
}

/** Whether a CD drive would become a disk, or the other way round, while the machine runs. */
function changesMedia(vm: Vm, key: string): boolean {
  const before = vm.config[key];
  if (!isDriveKey(key) || before === undefined || key === "efidisk0" || key === "tpmstate0") return false;
  const [old, asked] = [parseDrive(key, before), parseDrive(key, vm.pending[key] as string)];
  return (old.media ?? "disk") !== (asked.media ?? "disk");
}

/** Whether another volume replaces it, so that the old one must be unplugged. A CD is only changed. */
function replacesDisk(vm: Vm, key: string): boolean {
  const before = vm.config[key];
  if (!isDriveKey(key) || before === undefined || key === "efidisk0" || key === "tpmstate0") return false;
  const old = parseDrive(key, before);
  return !isCdrom(old) && old.file !== parseDrive(key, vm.pending[key] as string).file;
}

function isPluggable(drive: string): boolean {
  return /^(?:scsi|virtio)\d/.test(drive);
}

function featuresOf(hotplugOption: string | undefined): Set<string> {
  if (hotplugOption === "0") return new Set();
  const usual = hotplugOption === undefined || hotplugOption === "1";
  return new Set(usual ? ["network", "disk", "usb"] : splitList(hotplugOption));
}

function canUnplug(vm: Vm, key: string, features: Set<string>): boolean {
  if (AT_ONCE.has(key) || CLOUD_INIT_KEYS.test(key)) return true;
  if (isNicKey(key)) return features.has("network");
  if (isDriveKey(key)) return features.has("disk") && isPluggable(key);
  if (/^usb\d/.test(key)) return features.has("usb") && vm.config.ostype === "l26";
  if (key === "tablet") return features.has("usb");
  if (key === "vcpus") return features.has("cpu");
  if (key === "memory") return features.has("memory");
  if (key === "balloon") return vm.config.balloon !== "0";
  return key === "hotplug" && !/cpu|memory/.test(vm.config.hotplug ?? "");
}

function canPlug(vm: Vm, key: string, features: Set<string>): boolean {
  const value = vm.pending[key] as string;
  const before = vm.config[key];
  if (AT_ONCE.has(key) || CLOUD_INIT_KEYS.test(key)) return true;
  if (isNicKey(key)) return features.has("network") || (before !== undefined && sameParts(before, value));
  if (isDriveKey(key)) return canPlugDrive(key, before, value, features.has("disk"));
  if (/^usb\d/.test(key)) return features.has("usb") && vm.config.ostype === "l26";
  if (key === "tablet") return features.has("usb");
  if (key === "vcpus") return features.has("cpu");
  if (key === "memory") return features.has("memory");
  // The device itself is added or removed only at a power cycle.
  if (key === "balloon") return (before !== "0") === (value !== "0");
  if (key === "agent") return before !== undefined && sameAgent(before, value);
  return key === "hotplug" && !/cpu|memory/.test(`${value} ${before ?? ""}`);
}

function sameParts(before: string, value: string): boolean {
  const [old, asked] = [parseNic("net0", before), parseNic("net0", value)];
  return old.bridge !== undefined && asked.bridge !== undefined && FIXED_NIC_PARTS.every((part) => old[part] === asked[part]);
}

function sameAgent(before: string, value: string): boolean {
  const [old, asked] = [parsePropertyString(AGENT, before, "agent"), parsePropertyString(AGENT, value, "agent")];
  const parts = new Set([...Object.keys(old), ...Object.keys(asked)].filter((part) => part !== "fstrim_cloned_disks"));
  return [...parts].every((part) => old[part] === asked[part]);
}

function canPlugDrive(key: string, before: string | undefined, value: string, allowed: boolean): boolean {
  if (key === "efidisk0" || key === "tpmstate0") return false;
  const pluggable = allowed && isPluggable(key);
  if (before === undefined) return pluggable;
  const old = parseDrive(key, before);
  const asked = parseDrive(key, value);
  if (isCdrom(old)) return true;
  if (old.file !== asked.file) return pluggable;
  return FIXED_DISK_FLAGS.every((flag) => same(old, asked, flag));
}

function same(old: Drive, asked: Drive, flag: string): boolean {
  return old[flag] === asked[flag];
}

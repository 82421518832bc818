import { configId, dnsName, listOf, propertyString, urlEncoded } from "../parameters/formats.ts";
import type { Properties, Property } from "../parameters/property.ts";
import type { Release } from "../release.ts";
import { DRIVE_KEYS, driveProperties } from "./drive.ts";
import { NIC_PROPERTIES } from "./nic.ts";
import * as formats from "./option-formats.ts";

const flag: Property = { type: "boolean", optional: true };
const text: Property = { type: "string", optional: true };
const choice = (...values: string[]): Property => ({ type: "string", optional: true, enum: values });
const whole = (minimum: number, maximum?: number): Property => ({
  type: "integer",
  optional: true,
  minimum,
  ...(maximum !== undefined && { maximum }),
});
const composed = (properties: Parameters<typeof propertyString>[0], more: Partial<Property> = {}): Property => ({
  type: "string",
  optional: true,
  format: propertyString(properties),
  ...more,
});
const numbered = (name: string, count: number, property: Property): [string, Property][] =>
  Array.from({ length: count }, (_, n) => [`${name}${n}`, property]);

export const LOCKS = [
  "backup",
  "clone",
  "create",
  "migrate",
  "rollback",
  "snapshot",
  "snapshot-delete",
  "suspending",
  "suspended",
];

/** All options of a machine: names, types and formats (docs/facts/proxmox.md#request-bodies, docs/facts/proxmox.md#property-strings). */
export const VM_OPTIONS: Readonly<Record<string, Property>> = {
  acpi: flag,
  affinity: { type: "string", optional: true, format: formats.cpuSet },
  agent: composed(formats.AGENT),
  "allow-ksm": flag,
  "amd-sev": text,
  arch: choice("x86_64", "aarch64"),
  args: text,
  audio0: text,
  autostart: flag,
  balloon: whole(0),
  bios: choice("seabios", "ovmf"),
  boot: composed(formats.BOOT),
  bootdisk: { type: "string", optional: true, pattern: /^(?:ide|sata|scsi|virtio)\d+$/ },
  cicustom: composed(formats.CICUSTOM),
  cipassword: text,
  citype: choice("configdrive2", "nocloud", "opennebula"),
  ciupgrade: flag,
  ciuser: text,
  cores: whole(1),
  cpu: { type: "string", optional: true, format: formats.vmCpu(9) },
  cpulimit: { type: "number", optional: true, minimum: 0, maximum: 128 },
  cpuunits: whole(1, 262_144),
  description: { type: "string", optional: true, maxLength: 8192 },
  freeze: flag,
  hookscript: text,
  hotplug: { type: "string", optional: true, format: formats.hotplugFeatures },
  hugepages: choice("any", "2", "1024"),
  "intel-tdx": text,
  ivshmem: text,
  keephugepages: flag,
  keyboard: text,
  kvm: flag,
  localtime: flag,
  lock: choice(...LOCKS),
  machine: composed(formats.MACHINE),
  memory: composed(formats.MEMORY),
  migrate_downtime: { type: "number", optional: true, minimum: 0 },
  migrate_speed: whole(0),
  name: { type: "string", optional: true, format: dnsName },
  nameserver: { type: "string", optional: true, list: true, format: formats.addressList },
  numa: flag,
  onboot: flag,
  ostype: choice("other", "wxp", "w2k", "w2k3", "w2k8", "wvista", "win7", "win8", "win10", "win11", "l24", "l26", "solaris"),
  protection: flag,
  reboot: flag,
  rng0: composed(formats.RNG),
  scsihw: choice("lsi", "lsi53c810", "virtio-scsi-pci", "virtio-scsi-single", "megasas", "pvscsi"),
  searchdomain: text,
  shares: whole(0, 50_000),
  smbios1: composed(formats.SMBIOS, { maxLength: 512 }),
  smp: whole(1),
  sockets: whole(1),
  spice_enhancements: text,
  sshkeys: { type: "string", optional: true, format: urlEncoded },
  startdate: {
    type: "string",
    optional: true,
    pattern: /^(?:now|\d{4}-\d{1,2}-\d{1,2}(?:T\d{1,2}:\d{1,2}:\d{1,2})?)$/,
  },
  startup: { type: "string", optional: true, format: formats.startup },
  tablet: flag,
  tags: { type: "string", optional: true, list: true, format: formats.tagList },
  tdf: flag,
  template: flag,
  vcpus: whole(1),
  vga: composed(formats.VGA),
  vmgenid: { type: "string", optional: true, pattern: /^(?:[a-fA-F0-9]{8}(?:-[a-fA-F0-9]{4}){3}-[a-fA-F0-9]{12}|[01])$/ },
  vmstatestorage: { type: "string", optional: true, format: formats.storage },
  watchdog: composed(formats.WATCHDOG),
  ...Object.fromEntries([
    ...DRIVE_KEYS.map((key): [string, Property] => [key, composed(driveProperties(key) ?? {})]),
    ...numbered("unused", 256, composed(driveProperties("unused0") ?? {})),
    ...numbered("net", 32, composed(NIC_PROPERTIES)),
    ...numbered("ipconfig", 32, composed(formats.IPCONFIG)),
    ...numbered("hostpci", 16, composed(formats.HOSTPCI)),
    ...numbered("usb", 14, composed(formats.USB)),
    ...numbered("serial", 4, { type: "string", optional: true, pattern: /^(?:\/dev\/.+|socket)$/ }),
    ...numbered("parallel", 3, { type: "string", optional: true, pattern: /^(?:\/dev\/parport\d+|\/dev\/usb\/lp\d+)$/ }),
    ...numbered("numa", 8, composed(formats.NUMA)),
    ...numbered("virtiofs", 10, text),
  ]),
};

/** The options of a release: without later ones, and with its own CPU flags. */
export function known(properties: Properties, { major, newOptions }: Release): Properties {
  const later = LATER.filter((option) => !newOptions.includes(option)) as readonly string[];
  const cpu: Property = { type: "string", optional: true, format: formats.vmCpu(major) };
  return Object.fromEntries(Object.entries({ ...properties, cpu }).filter(([key]) => !later.includes(key)));
}

const LATER = ["ha-managed", "allow-ksm", "intel-tdx"] as const;

/** `cdrom` is an alias of ide2. */
export const CDROM_ALIAS: Property = composed(driveProperties("ide2") ?? {});

/** Numbers and booleans are read as JSON numbers; all others, also `memory`, as text (docs/facts/proxmox.md#answers). */
export function asRead(key: string, value: string): string | number {
  const type = VM_OPTIONS[key]?.type;
  return type === "integer" || type === "boolean" ? Number(value) : value;
}

export const CLOUD_INIT_KEYS = /^(?:cicustom|cipassword|citype|ciupgrade|ciuser|ipconfig\d+|nameserver|searchdomain|sshkeys)$/;

export const LIST_OF_OPTIONS: Property = { type: "string", optional: true, list: true, format: listOf(configId) };

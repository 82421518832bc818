import { address, configId, ipv4, ipv4Config, ipv6, ipv6Config, listOf, storageId, tag } from "../parameters/formats.ts";
import { type Format, FormatError, type Properties, type Property } from "../parameters/property.ts";
import { parsePropertyString } from "../parameters/property-string.ts";
import { splitList } from "../parameters/schema.ts";
import { isDriveKey } from "./drive.ts";
import { isCpuModel } from "./hardware.ts";
import { isNicKey } from "./nic.ts";

const flag: Property = { type: "boolean", optional: true };
const text: Property = { type: "string", optional: true };

const physBits: Format = (value) => {
  if (value === "host" || (/^\d{1,2}$/.test(value) && Number(value) >= 8 && Number(value) <= 64)) return;
  throw new FormatError("value must be an integer between 8 and 64 or 'host'");
};

/** Options that are property strings. Values are stored as given; only drives and networks are rewritten. */
export const CPU: Properties = {
  cputype: { type: "string", optional: true, defaultKey: true },
  "reported-model": text,
  hidden: flag,
  "hv-vendor-id": { type: "string", optional: true, pattern: /^[a-zA-Z0-9]{1,12}$/ },
  flags: { type: "string", optional: true, pattern: /^[+-][a-zA-Z0-9\-_.]+(?:;[+-][a-zA-Z0-9\-_.]+)*$/ },
  "phys-bits": { type: "string", optional: true, format: physBits },
  level: { type: "integer", optional: true, minimum: 0, maximum: 4_294_967_295 },
  "guest-phys-bits": { type: "integer", optional: true, minimum: 32, maximum: 64 },
};

/** CPU flags that a machine may add or remove, besides those of the model; in each release's order. */
const CPU_FLAGS: Record<8 | 9, readonly string[]> = {
  8: "pcid spec-ctrl ibpb ssbd virt-ssbd amd-ssbd amd-no-ssb pdpe1gb md-clear hv-tlbflush hv-evmcs aes".split(" "),
  9: "nested-virt md-clear pcid spec-ctrl ssbd ibpb virt-ssbd amd-ssbd amd-no-ssb pdpe1gb hv-tlbflush hv-evmcs aes".split(" "),
};

/** Every custom model is assumed to be defined. */
export const vmCpu =
  (major: 8 | 9): Format =>
  (value, path, release) => {
    const { cputype, flags, "reported-model": reported } = parsePropertyString(CPU, value, path, release);
    if (cputype === undefined) throw new FormatError("CPU is missing cputype");
    if (!cputype.startsWith("custom-") && !isCpuModel(cputype))
      throw new FormatError(`Built-in cputype '${cputype}' is not defined (missing 'custom-' prefix?)`);
    const allowed = CPU_FLAGS[major];
    for (const flag of flags?.split(";") ?? [])
      if (!allowed.includes(flag.slice(1)))
        throw new FormatError(`VM-specific CPU flags must be a subset of: ${allowed.join(", ")}`);
    if (reported !== undefined) throw new FormatError("Property 'reported-model' not allowed in VM-specific CPU config.");
  };

export const cpuSet: Format = (value) => {
  if (!/^\s*\d+(?:-\d+)?(?:\s*,\s*\d+(?:-\d+)?)*\s*$/.test(value)) throw new FormatError("unable to parse cpuset list");
};

const ranges = /^\d+(?:-\d+)?(?:;\d+(?:-\d+)?)*$/;

export const NUMA: Properties = {
  cpus: { type: "string", pattern: ranges },
  memory: { type: "number", optional: true },
  hostnodes: { type: "string", optional: true, pattern: ranges },
  policy: { type: "string", optional: true, enum: ["preferred", "bind", "interleave"] },
};

export const AGENT: Properties = {
  enabled: { type: "boolean", defaultKey: true },
  fstrim_cloned_disks: flag,
  "freeze-fs": flag,
  "freeze-fs-on-backup": flag,
  type: { type: "string", optional: true, enum: ["virtio", "isa"] },
};

export const VGA: Properties = {
  type: {
    type: "string",
    optional: true,
    defaultKey: true,
    enum: [
      "cirrus",
      "qxl",
      "qxl2",
      "qxl3",
      "qxl4",
      "none",
      "serial0",
      "serial1",
      "serial2",
      "serial3",
      "std",
      "virtio",
      "virtio-gl",
      "vmware",
    ],
  },
  memory: { type: "integer", optional: true, minimum: 4, maximum: 512 },
  clipboard: { type: "string", optional: true, enum: ["vnc"] },
};

export const MACHINE: Properties = {
  type: {
    type: "string",
    optional: true,
    defaultKey: true,
    maxLength: 40,
    pattern:
      /^(?:pc|pc(?:-i440fx)?-\d+(?:\.\d+)+(?:\+pve\d+)?(?:\.pxe)?|q35|pc-q35-\d+(?:\.\d+)+(?:\+pve\d+)?(?:\.pxe)?|virt(?:-\d+(?:\.\d+)+)?(?:\+pve\d+)?)$/,
  },
  viommu: { type: "string", optional: true, enum: ["intel", "virtio"] },
  "aw-bits": { type: "number", optional: true, minimum: 32, maximum: 64 },
  "enable-s3": flag,
  "enable-s4": flag,
};

const base64: Property = { type: "string", optional: true, pattern: /^[A-Za-z0-9+/]+={0,2}$/ };

export const SMBIOS: Properties = {
  uuid: { type: "string", optional: true, pattern: /^[a-fA-F0-9]{8}(?:-[a-fA-F0-9]{4}){3}-[a-fA-F0-9]{12}$/ },
  version: base64,
  serial: base64,
  manufacturer: base64,
  product: base64,
  sku: base64,
  family: base64,
  base64: flag,
};

export const IPCONFIG: Properties = {
  ip: { type: "string", optional: true, format: ipv4Config },
  gw: { type: "string", optional: true, format: ipv4, requires: "ip" },
  ip6: { type: "string", optional: true, format: ipv6Config },
  gw6: { type: "string", optional: true, format: ipv6, requires: "ip6" },
};

export const CICUSTOM: Properties = { meta: text, network: text, user: text, vendor: text };

export const RNG: Properties = {
  source: { type: "string", defaultKey: true, enum: ["/dev/urandom", "/dev/random", "/dev/hwrng"] },
  max_bytes: { type: "integer", optional: true },
  period: { type: "integer", optional: true },
};

export const WATCHDOG: Properties = {
  model: { type: "string", optional: true, defaultKey: true, enum: ["i6300esb", "ib700"] },
  action: {
    type: "string",
    optional: true,
    enum: ["reset", "shutdown", "poweroff", "pause", "debug", "none"],
  },
};

export const HOSTPCI: Properties = {
  host: {
    type: "string",
    optional: true,
    defaultKey: true,
    pattern:
      /^(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-9a-f])?(?:;(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-9a-f])?)*$/i,
  },
  mapping: { type: "string", optional: true, format: configId },
  rombar: flag,
  romfile: { type: "string", optional: true, pattern: /^[^,;]+$/ },
  pcie: flag,
  "x-vga": flag,
  "legacy-igd": flag,
  mdev: { type: "string", optional: true, pattern: /^[^/.:]+$/ },
  ...Object.fromEntries(
    ["vendor-id", "device-id", "sub-vendor-id", "sub-device-id"].map((key): [string, Property] => [
      key,
      { type: "string", optional: true, pattern: /^0x[0-9a-fA-F]{4}$/ },
    ]),
  ),
};

export const USB: Properties = {
  host: {
    type: "string",
    optional: true,
    defaultKey: true,
    pattern: /^(?:(?:0x)?[0-9a-f]{4}:(?:0x)?[0-9a-f]{4}|\d+-\d+(?:\.\d+)*|spice)$/i,
  },
  mapping: { type: "string", optional: true, format: configId },
  usb3: flag,
};

export const MEMORY: Properties = { current: { type: "integer", minimum: 16, defaultKey: true } };

export const BOOT: Properties = {
  legacy: { type: "string", optional: true, defaultKey: true, pattern: /^[acdn]{1,4}$/ },
  order: {
    type: "string",
    optional: true,
    format: listOf((device) => {
      if (!isDriveKey(device) && !isNicKey(device) && !/^(?:usb|hostpci)\d+$/.test(device))
        throw new FormatError(`invalid boot device '${device}'`);
    }),
  },
};

export const startup: Format = (value) => {
  for (const part of splitList(value))
    if (!/^(?:order=)?\d+$|^(?:up|down)=\d+$/.test(part)) throw new FormatError("unable to parse startup options");
};

export const hotplugFeatures: Format = (value) => {
  if (value === "0" || value === "1") return;
  for (const feature of splitList(value))
    if (!/^(?:network|disk|cpu|memory|usb|cloudinit)$/.test(feature))
      throw new FormatError(`invalid hotplug feature '${feature}'`);
};

export const tagList = listOf(tag);
export const addressList = listOf(address);
export const storage = storageId;

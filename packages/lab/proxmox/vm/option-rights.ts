import { ROOT } from "../access/acl.ts";
import { mayAt, requirePrivileges, requireVmPrivileges } from "../access/permission.ts";
import { parsePropertyString } from "../parameters/property-string.ts";
import { badParameters, died, forbidden } from "../refusal.ts";
import { releaseOf } from "../release.ts";
import type { ProxmoxState } from "../state.ts";
import { isDriveKey } from "./drive.ts";
import { isNicKey, networkPaths, parseNic } from "./nic.ts";
import { CPU, HOSTPCI, RNG, USB } from "./option-formats.ts";
import { CLOUD_INIT_KEYS } from "./options.ts";

/** The privilege for each option (docs/facts/proxmox.md#privileges-per-option). Options in no group can be set by root only. */
const GROUPS: readonly [privilege: string, options: readonly string[]][] = [
  ["VM.Config.CPU", ["cores", "cpu", "cpulimit", "cpuunits", "numa", "smp", "sockets", "vcpus"]],
  ["VM.Config.Memory", ["memory", "balloon", "shares", "allow-ksm"]],
  ["VM.Config.HWType", ["acpi", "hotplug", "kvm", "machine", "scsihw", "smbios1", "tablet", "vga", "watchdog", "audio0", "rng0"]],
  [
    "VM.Config.Options",
    [
      "agent",
      "autostart",
      "bios",
      "description",
      "keyboard",
      "localtime",
      "migrate_downtime",
      "migrate_speed",
      "name",
      "onboot",
      "ostype",
      "protection",
      "reboot",
      "startdate",
      "startup",
      "tdf",
      "template",
    ],
  ],
  ["VM.PowerMgmt", ["freeze"]],
  ["VM.Config.Disk", ["boot", "bootdisk", "vmstatestorage"]],
];

/** A caller's change to options of a machine, possibly while it is created in a pool. */
export interface OptionChange {
  state: ProxmoxState;
  caller: string;
  vmid: number;
  pool: string | undefined;
}

/** Checks options whose value does not matter for the right. Drives, devices and tags are checked elsewhere. */
export function requireOptionRights({ state, caller, vmid, pool }: OptionChange, keys: readonly string[]): void {
  if (caller === ROOT) return;
  for (const key of keys) {
    if (isDriveKey(key) || key === "tags" || /^(?:unused|serial|usb|hostpci)\d+$/.test(key)) continue;
    const group = GROUPS.find(([, options]) => options.includes(key) || (options.includes("numa") && /^numa\d$/.test(key)));
    if (group) {
      requireVmPrivileges(state, caller, vmid, pool, [group[0]]);
      if (key === "startup") requirePrivileges(state, caller, "/", ["Sys.Modify"]);
    } else if (isNicKey(key)) {
      requireVmPrivileges(state, caller, vmid, pool, ["VM.Config.Network"]);
    } else if (CLOUD_INIT_KEYS.test(key)) {
      requireEither(state, caller, vmid, pool, ["VM.Config.Cloudinit", "VM.Config.Network"]);
    } else {
      throw died(`only root can set '${key}' config`);
    }
  }
}

function requireEither(
  state: ProxmoxState,
  caller: string,
  vmid: number,
  pool: string | undefined,
  privileges: readonly string[],
): void {
  const paths = [...(pool === undefined ? [] : [`/pool/${pool}`]), `/vms/${vmid}`];
  if (!paths.some((path) => privileges.some((privilege) => mayAt(state, caller, path, privilege))))
    throw forbidden(`/vms/${vmid}, ${privileges.join("|")}`);
}

/** Checks devices of the host, whose value determines the necessary right. */
export function requireDeviceRights(
  { state, caller, vmid, pool }: OptionChange,
  key: string,
  value: string,
  how: "set" | "modify" | "delete" = "set",
): void {
  if (caller === ROOT) return;
  const hardware = () => requireVmPrivileges(state, caller, vmid, pool, ["VM.Config.HWType"]);
  if (/^serial\d+$/.test(key)) {
    if (value !== "socket") throw died(`only root can ${how} '${key}' config for real devices`);
    hardware();
  } else if (/^usb\d+$/.test(key)) {
    hardware();
    const { host, mapping } = parsePropertyString(USB, value, key);
    if (host !== undefined && host.toLowerCase() !== "spice") throw died(`only root can set '${key}' config for real devices`);
    requireMapping(state, caller, "usb", host, mapping);
  } else if (/^hostpci\d+$/.test(key)) {
    const { host, mapping, romfile } = parsePropertyString(HOSTPCI, value, key);
    if (host !== undefined) throw died(`only root can set '${key}' config for non-mapped devices`);
    requireMapping(state, caller, "pci", host, mapping);
    hardware();
    if (romfile !== undefined) throw badParameters({ [key]: "only root@pam can set 'romfile' option" });
  } else if (key === "rng0") {
    if (parsePropertyString(RNG, value, key).source === "/dev/hwrng")
      requirePrivileges(state, caller, "/mapping/hwrng", ["Mapping.Use"]);
  } else if (key === "cpu") {
    const model = /^custom-(.+)$/.exec(parsePropertyString(CPU, value, key).cputype ?? "")?.[1];
    if (model === undefined) return;
    if (releaseOf(state).customCpu === "mapping") requirePrivileges(state, caller, `/mapping/cpu/${model}`, ["Mapping.Use"]);
    else requirePrivileges(state, caller, "/nodes", ["Sys.Audit"]);
  }
}

function requireMapping(state: ProxmoxState, caller: string, kind: string, host?: string, mapping?: string): void {
  if (mapping !== undefined) requirePrivileges(state, caller, `/mapping/${kind}/${mapping}`, ["Mapping.Use"]);
  else if (host === undefined) throw died("either 'host' or 'mapping' must be set.");
}

/** Attaching a machine to a network requires the right to use it. */
export function requireNetworks(state: ProxmoxState, caller: string, config: Readonly<Record<string, string>>): void {
  for (const key of Object.keys(config).filter(isNicKey).sort())
    for (const path of networkPaths(parseNic(key, config[key] as string))) requirePrivileges(state, caller, path, ["SDN.Use"]);
}

/** Differences between releases of Proxmox VE (docs/facts/proxmox.md#releases); everything else is the same in all simulated releases. */
export interface Release {
  /** Version of pve-manager: "9.2.11". */
  version: string;
  major: 8 | 9;
  qemu: string;
  /** Newest machine type version: "11.0". */
  machine: string;
  kernel: string;
  /** Commit of pve-manager's source, as /version reports it. */
  repoid: string;
  /** VM.GuestAgent.* and VM.Replicate exist; before, VM.Monitor allowed all agent calls. */
  agentPrivileges: boolean;
  /** Every failed login has the same message; before, each gave its reason. */
  uniformLogin: boolean;
  /** The message for a required property is "missing property required by" it; before, "missing property - … requires this property". */
  namesWhatRequires: boolean;
  /** In a property string, a boolean without a key can be "on", "yes" or "true"; before, only 1 or 0. */
  bareBooleans: boolean;
  /** An error repeats its message in the body; before, only the reason phrase had it. */
  messageInBody: boolean;
  /** `local` accepts images for import by default. */
  importByDefault: boolean;
  /** Tags are sorted, lower-cased and deduplicated at creation as well, not only at update. */
  tagsNormalisedAtCreate: boolean;
  /** Tags at creation require VM.Config.Options on /vms/{vmid}, checked by the task, whatever the pool allows. */
  tagsCheckedAtCreate: boolean;
  /** `start=1` at creation requires VM.PowerMgmt. */
  startCheckedAtCreate: boolean;
  /** Options and parameters that exist from this release on. */
  newOptions: readonly NewOption[];
  /** Rules instead of groups determine where high availability places a machine. */
  haRules: boolean;
  /** The requirement of a custom CPU model: the right to use the mapping of its name, or Sys.Audit on /nodes. */
  customCpu: "mapping" | "nodes";
  /** /cluster/resources distinguishes networks from zones, and reports machines' memory as the host sees it. */
  networkResources: boolean;
  /** A host's interfaces can be listed with those of SDN: "include_sdn", "vnet" and "fabric". */
  sdnInterfaces: boolean;
  /** The status of machines has `memhost` and pressure figures. */
  memhost: boolean;
  /** cyls, heads, secs and trans of a drive. */
  driveGeometry: boolean;
  /** Storages have `snapshot-as-volume-chain`; without it, raw and LVM have no snapshots. */
  volumeChains: boolean;
  /** `ms-cert=2023k` is set on an EFI disk with enrolled keys. */
  efiCertificate: boolean;
}

export type NewOption = "ha-managed" | "allow-ksm" | "intel-tdx" | "host-tunnel";

const NEW_OPTIONS: readonly NewOption[] = ["ha-managed", "allow-ksm", "intel-tdx", "host-tunnel"];

/** The last release of each line, for versions that name only the line. */
const NEWEST: Readonly<Record<string, string>> = { "8": "8.4.21", "8.4": "8.4.21", "9": "9.2.11", "9.2": "9.2.11" };

export const DEFAULT_VERSION = "9.2.11";

/** The full version of "8.4": "8.4.21"; undefined for versions that the lab cannot simulate. */
export function fullVersion(text: string): string | undefined {
  const version = NEWEST[text] ?? text;
  return /^(?:8\.4|9\.\d+)\.\d+$/.test(version) ? version : undefined;
}

/** A cache: it is read many times in every call. */
const known = new Map<string, Release>();

export function releaseOf({ version }: { version: string }): Release {
  const release = known.get(version) ?? describe(version);
  known.set(version, release);
  return release;
}

function describe(version: string): Release {
  const nine = isAtLeast(version, "9.0.0");
  return {
    version,
    major: nine ? 9 : 8,
    qemu: nine ? "11.0.0" : "9.2.0",
    machine: nine ? "11.0" : "9.2",
    kernel: nine ? "6.17.4-2-pve" : "6.8.12-17-pve",
    repoid: nine ? "7f1f8a2b3c4d5e6f" : "0a1b2c3d4e5f6071",
    agentPrivileges: nine,
    uniformLogin: isAtLeast(version, nine ? "9.1.5" : "8.4.17"),
    namesWhatRequires: nine,
    bareBooleans: isAtLeast(version, "9.1.0"),
    messageInBody: isAtLeast(version, "8.4.0"),
    importByDefault: nine,
    tagsNormalisedAtCreate: isAtLeast(version, "9.1.17"),
    tagsCheckedAtCreate: isAtLeast(version, "9.2.0"),
    startCheckedAtCreate: isAtLeast(version, "9.1.10"),
    newOptions: nine ? NEW_OPTIONS : [],
    haRules: nine,
    customCpu: isAtLeast(version, "9.1.15") ? "mapping" : "nodes",
    networkResources: nine,
    sdnInterfaces: nine,
    memhost: nine,
    driveGeometry: !nine,
    volumeChains: nine,
    efiCertificate: nine,
  };
}

/** Compares the numbers between the dots: "9.10.0" is later than "9.9.0". */
function isAtLeast(version: string, wanted: string): boolean {
  const [have, want] = [version, wanted].map((text) => text.split(".").map((part) => Number.parseInt(part, 10)));
  for (const [index, number] of (want ?? []).entries()) {
    const own = have?.[index] ?? 0;
    if (own !== number) return own > number;
  }
  return true;
}

import type { Json } from "@talosmith/lib/json.ts";
import { bytesIn, disksMatching } from "../config/install-disk.ts";
import { machineConfig } from "../config/machine-config.ts";
import { at, type ConfigDocument, list, word } from "../config/values.ts";
import type { Disk, Machine } from "../state.ts";

/** A volume in the config besides the system's own, and its status (VolumeStatuses.block.talos.dev). */
export interface UserVolume {
  /** "u-models" */
  id: string;
  type: "partition" | "disk" | "directory";
  /** "failed" with a reason, until there is a disk for it. */
  phase: "ready" | "failed";
  error?: string;
  /** "sdb"; `partition` is the partition's number on it. */
  device?: string;
  partition?: number;
  size: number;
  /** Empty for none. */
  filesystem: string;
  /** The types of its encryption keys; none when it is not encrypted. */
  keys: string[];
  /** The mount point; absent for raw volumes and swap. */
  mount?: string;
}

const MiB = 1024 ** 2;

const PREFIXES: Readonly<Record<string, string>> = { UserVolumeConfig: "u-", RawVolumeConfig: "r-", SwapVolumeConfig: "s-" };

/** The user volumes in the order of the documents, in which Talos assigns disks. EPHEMERAL uses all remaining space on the system disk. */
export function userVolumes(machine: Machine): UserVolume[] {
  const { boot } = machine;
  const config = boot?.config === undefined ? undefined : machineConfig(boot.config);
  if (!boot || !config) return [];
  const used = new Map<string, { bytes: number; partitions: number; whole?: true }>();
  const documents = config.documents.filter(({ kind }) => Object.hasOwn(PREFIXES, kind));
  return documents
    .map((document) => placed(document, machine.hardware.disks, boot.disk, used))
    .map((volume, index) => sealed(volume, keyProblem(machine, documents[index]?.fields.encryption)));
}

/** Fails a volume whose encryption is impossible: its disk is not used at all. */
function sealed(volume: UserVolume, problem: string | undefined): UserVolume {
  if (problem === undefined || volume.phase === "failed") return volume;
  const { device: _, partition: __, ...rest } = volume;
  return { ...rest, phase: "failed", error: `error encrypting disk: ${problem}` };
}

/** Why a key cannot be stored in the machine's TPM: the machine has no TPM, or Secure Boot is off. */
export function keyProblem({ hardware, boot }: Machine, encryption: Json | undefined): string | undefined {
  for (const key of list(at(encryption, "keys"))) {
    if (at(key, "tpm") === undefined) continue;
    if (at(key, "tpm.checkSecurebootStatusOnEnroll") === true && !boot?.secureBoot)
      return "failed to enroll the TPM2 key, as SecureBoot is disabled (and checkSecurebootOnEnroll is enabled)";
    if (!hardware.tpm) return "failed to open TPM device: stat /dev/tpmrm0: no such file or directory";
  }
  return undefined;
}

/** The key problem of STATE or EPHEMERAL: a machine cannot boot without them. */
export function systemKeyProblem(machine: Machine, text: string): string | undefined {
  const config = machineConfig(text);
  for (const { kind, name, fields } of config?.documents ?? []) {
    if (kind !== "VolumeConfig") continue;
    const problem = keyProblem(machine, fields.encryption);
    if (problem !== undefined) return `volume ${name}: ${problem}`;
  }
  return undefined;
}

function placed(
  { kind, name, fields }: ConfigDocument,
  disks: readonly Disk[],
  system: string | undefined,
  used: Map<string, { bytes: number; partitions: number; whole?: true }>,
): UserVolume {
  const type = (word(fields.volumeType) || "partition") as UserVolume["type"];
  const volume: UserVolume = {
    id: `${PREFIXES[kind]}${name}`,
    type,
    phase: "ready",
    size: 0,
    filesystem:
      kind === "UserVolumeConfig" ? word(at(fields, "filesystem.type")) || "xfs" : kind === "SwapVolumeConfig" ? "swap" : "",
    keys: list(at(fields, "encryption.keys")).flatMap(keyKinds),
    ...(kind === "UserVolumeConfig" && { mount: `/var/mnt/${name}` }),
  };
  if (type === "directory") return { ...volume, filesystem: "" };
  const failed = (error: string): UserVolume => ({ ...volume, phase: "failed", error });
  const matching = disksMatching(disks, word(at(fields, "provisioning.diskSelector.match")), system).filter(
    (disk) => !disk.cdrom,
  );
  if (matching.length === 0) return failed("no disks matched selector for volume");
  if (type === "disk") {
    const [disk] = matching;
    if (!disk || matching.length > 1)
      return failed(
        `multiple disks matched locator for disk volume; matched disks: [${matching.map((one) => `/dev/${one.device}`).join(" ")}]`,
      );
    used.set(disk.device, { bytes: disk.size, partitions: 0, whole: true });
    return { ...volume, device: disk.device, size: disk.size };
  }
  const least = bytesOf(at(fields, "provisioning.minSize"), 0) || MiB;
  const room = (disk: Disk) => (disk.name === system ? 0 : disk.size - 2 * MiB - (used.get(disk.device)?.bytes ?? 0));
  const disk = matching.find((one) => room(one) >= least);
  if (!disk) {
    const full = `${matching.length} have not enough space, 0 have wrong format, 0 have other issues`;
    return failed(`no disks matched for volume (${matching.length} matched selector): ${full}`);
  }
  const most = bytesOf(at(fields, "provisioning.maxSize"), room(disk));
  const size =
    most === 0 ? (at(fields, "provisioning.grow") === true || least === MiB ? room(disk) : least) : Math.min(most, room(disk));
  const before = used.get(disk.device) ?? { bytes: 0, partitions: 0 };
  used.set(disk.device, { bytes: before.bytes + size, partitions: before.partitions + 1 });
  return { ...volume, device: disk.device, partition: before.partitions + 1, size: Math.floor(size / MiB) * MiB };
}

function keyKinds(key: Json): string[] {
  return ["static", "nodeID", "kms", "tpm"].filter((kind) => at(key, kind) !== undefined);
}

/** Parses a size: "10GiB", "50%" of the available size, "-1GiB" less than it. */
function bytesOf(size: Json | undefined, there: number): number {
  const text = word(size);
  if (text === "") return 0;
  const [, sign, plain = ""] = /^(-?)(.*)$/.exec(text) ?? [];
  const bytes = plain.endsWith("%") ? (there * Number(plain.slice(0, -1))) / 100 : bytesIn(plain);
  return sign === "-" ? Math.max(0, there - bytes) : bytes;
}

import type { EncryptionKey, NodeConfig, VolumeConfig } from "../../../config/config.ts";
import { IN_A_VOLUME } from "../../../config/kubelet-folders.ts";
import { diskExpression } from "../disk-expression.ts";
import type { ConfigDocument, JsonObject } from "../document.ts";
import { type NodeInput, newDocument } from "./node-input.ts";

const KINDS = { user: "UserVolumeConfig", raw: "RawVolumeConfig", swap: "SwapVolumeConfig" } as const;

/** Talos wants one of the two sizes, and takes all there is when it knows no largest one. Its own smallest volume. */
const SMALLEST = 100 * 2 ** 20;

export function volumeDocuments(volumes: readonly VolumeConfig[]): ConfigDocument[] {
  return volumes.map((volume) => {
    const { name, kind, disk, minSize, maxSize, grow, filesystem, encryption } = volume;
    const least = minSize ?? (maxSize === undefined ? SMALLEST : undefined);
    return newDocument(KINDS[kind], {
      name,
      provisioning: {
        diskSelector: { match: diskMatch(disk) },
        ...(grow && { grow }),
        ...(least !== undefined && { minSize: sizeText(least) }),
        ...(maxSize !== undefined && { maxSize: sizeText(maxSize) }),
      },
      ...(kind === "user" && { filesystem: { type: filesystem } }),
      ...(encryption !== undefined && { encryption: encryptionWith(encryption) }),
    });
  });
}

/** Folders of the system disk that kubelets are to pass on, where no volume of that name is mounted. */
export function directoryDocuments({ kubeletMounts, volumes }: Pick<NodeConfig, "kubeletMounts" | "volumes">): ConfigDocument[] {
  const taken = volumes.filter(({ kind }) => kind === "user").map(({ name }) => name);
  const names = new Set(kubeletMounts.flatMap((folder) => IN_A_VOLUME.exec(folder)?.[1] ?? []));
  return [...names]
    .filter((name) => !taken.includes(name))
    .map((name) => newDocument("UserVolumeConfig", { name, volumeType: "directory" }));
}

/** A description like "larger than 100GB" must not end up on the disk Talos is on: that one is asked for by asking for none. */
function diskMatch(disk: VolumeConfig["disk"]): string {
  if (disk === undefined) return "system_disk";
  if (typeof disk === "object" && "attached" in disk) return attachedDisk(disk.attached);
  return typeof disk === "string" ? diskExpression(disk) : `${diskExpression(disk)} && !system_disk`;
}

/**
 * Selects a disk attached by talosmith, by all names that the machine may show. QEMU's SCSI disks show the WWN, and the serial number in a link only when
 * the machine is older than 10.0, since newer ones are given a name of their slot (qemu-server, DriveDevice.pm); those of virtio show it in a link. Talos fills in
 * `serial` for neither (siderolabs/talos issue 12073); once it does, that is right too.
 */
function attachedDisk({ serial, wwn }: { serial: string; wwn?: string }): string {
  const link = wwn === undefined ? `virtio-${serial}` : `scsi-0QEMU_QEMU_HARDDISK_${serial}`;
  return [
    ...(wwn === undefined ? [] : [`disk.wwid == ${JSON.stringify(wwn.replace("0x", "naa."))}`]),
    `disk.serial == ${JSON.stringify(serial)}`,
    diskExpression(`/dev/disk/by-id/${link}`),
  ].join(" || ");
}

/** Talos's own partitions, where the node says something about them. STATE can be encrypted and nothing else. */
export function systemVolumeDocuments({ ephemeral, encryption }: NodeInput["node"]): ConfigDocument[] {
  const { state, ephemeral: ephemeralKey } = encryption ?? {};
  const provisioning = ephemeral && {
    ...(ephemeral.disk !== undefined && { diskSelector: { match: diskExpression(ephemeral.disk) } }),
    ...(ephemeral.minSize !== undefined && { minSize: sizeText(ephemeral.minSize) }),
    ...(ephemeral.maxSize !== undefined && { maxSize: sizeText(ephemeral.maxSize) }),
  };
  const rest = {
    ...(provisioning && Object.keys(provisioning).length > 0 && { provisioning }),
    ...(ephemeralKey && { encryption: encryptionWith(ephemeralKey) }),
  };
  return [
    ...(state ? [newDocument("VolumeConfig", { name: "STATE", encryption: encryptionWith(state) })] : []),
    ...(Object.keys(rest).length > 0 ? [newDocument("VolumeConfig", { name: "EPHEMERAL", ...rest })] : []),
  ];
}

/**
 * No key is locked to STATE: Talos refuses that on STATE itself, and elsewhere a volume would be lost with a partition that is
 * otherwise written anew without a loss.
 */
function encryptionWith(key: EncryptionKey): JsonObject {
  return { provider: "luks2", keys: [{ slot: 0, ...keyForm(key) }] };
}

function keyForm(key: EncryptionKey): JsonObject {
  switch (key.by) {
    case "nodeID":
      return { nodeID: {} };
    case "tpm":
      return { tpm: {} };
    case "passphrase":
      return { static: { passphrase: key.passphrase.reveal() } };
    case "kms":
      return { kms: { endpoint: key.kms } };
  }
}

/** Talos's units of size, larger ones first. */
const UNITS = [
  ["TiB", 2 ** 40],
  ["TB", 10 ** 12],
  ["GiB", 2 ** 30],
  ["GB", 10 ** 9],
  ["MiB", 2 ** 20],
  ["MB", 10 ** 6],
] as const;

/** "50GiB", in the largest unit that loses nothing. */
export function sizeText(bytes: number): string {
  const unit = UNITS.find(([, size]) => bytes > 0 && bytes % size === 0);
  return unit === undefined ? String(bytes) : `${bytes / unit[1]}${unit[0]}`;
}

import type { NodeConfig, VolumeConfig } from "../../../config/config.ts";
import { IN_A_VOLUME } from "../../../config/kubelet-folders.ts";
import { diskExpression } from "../disk-expression.ts";
import type { ConfigDocument } from "../document.ts";
import { encryptionWith } from "./encryption.ts";
import { newDocument } from "./node-input.ts";
import { sizeText } from "./size-text.ts";

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

import type { Disk } from "./state.ts";

/** Facts that a kernel finds out about a disk, where its hardware does not define them. */
export interface DiskFacts {
  wwid: string;
  uuid: string;
  /** The alias by which the kernel finds its driver. */
  modalias: string;
  busPath: string;
  rotational: boolean;
  symlinks: string[];
}

export function diskFacts(disk: Disk): DiskFacts {
  const { device, cdrom, model, serial } = disk;
  const place = Math.max(0, device.charCodeAt(device.length - 1) - "a".charCodeAt(0));
  const path = cdrom
    ? "/pci0000:00/0000:00:1f.2/ata3/host2/target2:0:0/2:0:0:0"
    : `/pci0000:00/0000:00:05.0/virtio1/host0/target0:0:${place}/0:0:${place}:0`;
  return {
    wwid: disk.wwid ?? (serial === "" ? "" : `t10.${model.replaceAll(" ", "")}    ${serial}`),
    uuid: disk.uuid ?? "",
    modalias: disk.modalias ?? (cdrom ? "scsi:t-0x05" : "scsi:t-0x00"),
    busPath: disk.busPath ?? path,
    rotational: disk.rotational ?? false,
    symlinks: disk.links ?? (serial === "" ? [] : [`/dev/disk/by-id/scsi-0${model.replaceAll(" ", "_")}_${serial}`]),
  };
}

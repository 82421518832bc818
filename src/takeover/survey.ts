/** The facts that a running system reports about itself and its machine, read without changes. */
export interface Survey {
  /** The address of this computer, as the server sees it. */
  readonly from: string;
  readonly hostname: string;
  /** The type of its root file system: "overlay", "tmpfs", "ext4". */
  readonly rootFilesystem: string;
  /** The disk of its root, when it is known: "sda"; "loop0" or "ram0" when it is not one of `disks`. */
  readonly rootDisk?: string;
  /** /proc/cmdline */
  readonly cmdline: string;
  /** Talos's name of the architecture; for others the kernel's. */
  readonly arch: string;
  readonly firmware: "bios" | "uefi";
  readonly secureBoot: boolean;
  readonly memoryBytes?: number;
  /** SMBIOS, lower case. */
  readonly uuid?: string;
  readonly disks: readonly SurveyedDisk[];
  readonly network: SurveyedNetwork;
  /** The available programs among those that writing needs. */
  readonly tools: ReadonlySet<string>;
}

export interface SurveyedDisk {
  /** "sda" */
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly model?: string;
  readonly serial?: string;
  /** The serial by lsblk, when it differs from the device's own. */
  readonly otherSerial?: string;
  /** The serial as Talos will read it, when the running system reads it from the same source. Talos does not see that of a virtio disk. */
  readonly talosSerial?: string;
  /** In Talos's format: "naa.5000c500…", "nvme.…", "eui.…". */
  readonly wwid?: string;
  readonly transport?: string;
  readonly rotational: boolean;
  readonly readonly: boolean;
  readonly removable: boolean;
  /** Absent when not reported, which means 512. */
  readonly sectorBytes?: number;
  /** In Talos's format: "/pci0000:00/0000:00:02.0/virtio1". */
  readonly busPath?: string;
  /** Its names below /dev/disk. */
  readonly links?: readonly string[];
  /** "gpt", "dos"; absent when it has none. */
  readonly table?: string;
  readonly parts: readonly SurveyedPart[];
  /** The reasons why it cannot be overwritten now, in words: "sda1 is mounted at /mnt", "sda2 is swap in use". */
  readonly inUse: readonly string[];
  /** The mount points of it and of devices on it. */
  readonly mountpoints?: readonly string[];
  /** The commands that end all use, in order. Talosmith only prints them. */
  readonly release?: readonly string[];
  /** The arrays and groups it is a member of: "RAID md0", "LVM vg0". */
  readonly members: readonly string[];
  /** False only when nothing at all was found on it. */
  readonly holdsData: boolean;
}

export interface SurveyedPart {
  readonly name: string;
  readonly bytes: number;
  readonly filesystem?: string;
  readonly label?: string;
}

/** The network of the server, as the running system reports it. */
export interface SurveyedNetwork {
  readonly cards: readonly SurveyedCard[];
  /** The card that has the default route. */
  readonly main?: string;
  readonly gateway?: string;
  readonly nameservers: readonly string[];
}

export interface SurveyedCard {
  readonly name: string;
  /** Upper case. */
  readonly mac: string;
  /** With prefix lengths. */
  readonly addresses: readonly string[];
  /** Whether some of them are DHCP leases. */
  readonly dhcp: boolean;
}

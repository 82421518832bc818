/** What a system that somebody logged in to says about itself and its machine, before anything is changed. */
export interface Survey {
  /** Our own address, as the server sees it. */
  readonly from: string;
  readonly hostname: string;
  /** Of its root: "overlay", "tmpfs", "ext4". */
  readonly rootFilesystem: string;
  /** The disk its root is on, when that can be told: "sda"; "loop0" or "ram0" when it is none of `disks`. */
  readonly rootDisk?: string;
  /** /proc/cmdline */
  readonly cmdline: string;
  /** As Talos calls it; another one as the kernel does. */
  readonly arch: string;
  readonly firmware: "bios" | "uefi";
  readonly secureBoot: boolean;
  readonly memoryBytes?: number;
  /** SMBIOS, lower case. */
  readonly uuid?: string;
  readonly disks: readonly SurveyedDisk[];
  readonly network: SurveyedNetwork;
  /** Of the programs that writing needs, those that are there. */
  readonly tools: ReadonlySet<string>;
}

export interface SurveyedDisk {
  /** "sda" */
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly model?: string;
  readonly serial?: string;
  /** What lsblk calls its serial, where that is another text than the device itself gives. */
  readonly otherSerial?: string;
  /** What Talos will call its serial, when the system that runs now reads it from the same place. A virtio disk's it does not see. */
  readonly talosSerial?: string;
  /** As Talos has it: "naa.5000c500…", "nvme.…", "eui.…". */
  readonly wwid?: string;
  readonly transport?: string;
  readonly rotational: boolean;
  readonly readonly: boolean;
  readonly removable: boolean;
  /** Absent when it was not said: 512. */
  readonly sectorBytes?: number;
  /** As Talos has it: "/pci0000:00/0000:00:02.0/virtio1". */
  readonly busPath?: string;
  /** Its names below /dev/disk. */
  readonly links?: readonly string[];
  /** "gpt", "dos"; absent when it has none. */
  readonly table?: string;
  readonly parts: readonly SurveyedPart[];
  /** Why it cannot be overwritten as it is, for a person: "sda1 is mounted at /mnt", "sda2 is swap in use". */
  readonly inUse: readonly string[];
  /** Where it, or something on it, is mounted. */
  readonly mountpoints?: readonly string[];
  /** The command lines that would end all that use, in their order. Only a person runs them. */
  readonly release?: readonly string[];
  /** What it is a member of: "RAID md0", "LVM vg0". */
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

/** How the server is connected, in the words of the system it runs now. */
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
  /** Some of them were leased. */
  readonly dhcp: boolean;
}
